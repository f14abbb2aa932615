// Why a request is refused, where one code has several reasons. The sandbox says each in a sentence (sandbox/hints/rules.ts): docs/sandbox.md, "Hints".

/** Words of our own, which no caller of production sees. */
export type Reason =
  // what was sent
  | 'unreadable'
  | 'query' // missing there
  | 'differs' // of the query and the body
  | 'needed' // by other members
  | 'signature'
  | 'usedSignature'
  | 'otherMember'
  | 'twoIds'
  | 'noId'
  | 'nothingAsked'
  // what belongs together
  | 'sum'
  | 'zero'
  | 'fixed'
  | 'notFixed'
  | 'notVariable'
  | 'belowFirst'
  | 'firstOverRenewal'
  | 'overLeft'
  | 'ofMandate'
  | 'expiryDay'
  | 'graceOfCards'
  | 'cardForm'
  // what is not there, or not open
  | 'unknownMid'
  | 'disabledMid'
  | 'unknownWebsite'
  | 'unknownOrder'
  | 'unknownToken'
  | 'otherToken'
  | 'tokenOver'
  | 'unknownPayer'
  | 'noPayer'
  | 'unknownBank'
  | 'unknownHandle'
  | 'unknownPlan'
  | 'unknownChannel'
  | 'unknownCard'
  | 'noSuchOffer'
  | 'modeNotOffered'
  | 'wayNotOffered'
  | 'debitCardEmi'
  | 'switchedOff'
  // what is used up
  | 'modifiedEnough'
  | 'modifiedUnsigned'
  | 'codesUsedUp'
  | 'mandateOver'
