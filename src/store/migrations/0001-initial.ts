import { createStatements } from '../schema.ts'
export const statements = createStatements()
