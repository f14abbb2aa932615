// One-time passwords, and the tokens that they lead to.

import { OTP_VALIDITY_MAX_MS } from '../domain/signin/signin.ts'
import type { Invariant } from './invariant.ts'

export const signIn: readonly Invariant[] = [
  {
    id: 'I33',
    says: 'an OTP has no more tries than allowed, is used before it expires, and lives at most ten minutes',
    over: 'otpChallenges',
    query: `select state_token_hash as id from otp_challenges where tries > tries_max or consumed_at >= expires_at
        or (consumed_at is not null and tries >= tries_max) or expires_at - created_at > ${OTP_VALIDITY_MAX_MS}
      union all select mid || ':' || order_id from checkout_otps where tries > 3 or consumed_at >= expires_at`,
  },
  {
    id: 'I34',
    says: 'a sign-in has at most one live refresh token, and all its refresh tokens expire together; a revoked sign-in has no SSO token that works',
    over: 'refreshTokens',
    query: `select family_id from refresh_tokens group by family_id
        having sum(case when used_at is null then 1 else 0 end) > 1 or max(expires_at) <> min(expires_at) or count(distinct generation) <> count(*)
      union all select s.family_id from sso_tokens s join token_families f on f.family_id = s.family_id
        join events e on e.owner = f.client_id and e.aggregate = 'signin' and e.id = f.family_id and e.type = 'signin.revoked'
        where s.revoked_at is null and s.expires_at > e.at`,
  },
  {
    id: 'I35',
    says: 'tokens come only from an OTP that was used, and one OTP makes one sign-in',
    over: 'tokenFamilies',
    query: `select f.family_id from token_families f join otp_challenges c on c.state_token_hash = f.state_token_hash where c.consumed_at is null
      union all select max(family_id) from token_families group by state_token_hash having count(*) > 1
      union all select t.family_id from refresh_tokens t left join token_families f on f.family_id = t.family_id where f.family_id is null
      union all select s.family_id from sso_tokens s left join events e on e.owner = s.client_id and e.aggregate = 'signin' and e.id = s.family_id and e.version = 1
        where e.id is null
      union all select c.state_token_hash from otp_challenges c left join token_families f on f.state_token_hash = c.state_token_hash
        where c.consumed_at is not null and f.family_id is null`,
  },
  {
    id: 'I54',
    says: 'a sign-in, its OTP, its tokens and the row of its customer name the same user',
    over: 'tokenFamilies',
    query: `select f.family_id as id from token_families f left join customers c on c.mobile = f.mobile where c.user_id is distinct from f.user_id
      union all select f.family_id from token_families f join otp_challenges c on c.state_token_hash = f.state_token_hash
        where c.mobile <> f.mobile or c.client_id <> f.client_id or c.device_hash <> f.device_hash or c.scopes <> f.scopes
      union all select s.family_id from sso_tokens s join token_families f on f.family_id = s.family_id
        where s.user_id <> f.user_id or s.mobile <> f.mobile or s.client_id <> f.client_id or s.scopes <> f.scopes
      union all select f.family_id from token_families f join refresh_tokens t on t.family_id = f.family_id
        where f.status = 'ACTIVE' group by f.family_id, f.version having max(t.generation) <> f.version
      union all select l.user_id from customer_links l left join customers c on c.user_id = l.user_id where c.mobile is null`,
  },
]
