// Due work is found in order within its kind: docs/decisions/0014.

export const statements = [`drop index tasks_by_due`, `create index tasks_by_kind on tasks (task, due_at)`]
