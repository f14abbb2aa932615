// Why a request is refused, when one code has several reasons. The sandbox puts each reason into a sentence (sandbox/hints/rules.ts):
// docs/sandbox.md, "Hints".

/** Mohur's own words. No caller in production sees them. */
export type Reason =
  // the request itself
  | 'unreadable'
  | 'query' // the query lacks a parameter
  | 'differs' // query and body differ
  | 'needed' // other members need the absent member
  | 'signature'
  | 'usedSignature'
  | 'otherMember'
  | 'twoIds'
  | 'noId'
  | 'nothingAsked'
  // members that belong together
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
  // rows that are absent, or not open
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
  // limits that are used up
  | 'modifiedEnough'
  | 'modifiedUnsigned'
  | 'codesUsedUp'
  | 'mandateOver'
