// Lets Node's test runner know the running test at less cost; `run.ts` loads it before every test file.
//
// node:test follows every promise and socket of the process by an async hook. So it finds the test of an uncaught error, and of a `test()`
// or `after()` behind an `await`. The services under test live in that process, and the hook took a sixth of their time. Ten heavy files
// took 95 seconds of processor time with this file, and 116 without it (three rounds of each in turn, SQLite, Node 26.10). Without it a
// single file took 0.98 to 1.54 times as much. An AsyncLocalStorage carries the same fact at next to no cost. node:test takes its parts of
// node:async_hooks when it is loaded, which happens here; afterwards node:async_hooks is restored. If another Node takes them otherwise,
// its own hook stays, or a test of test/house/tidy.test.ts fails.

import hooks, { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } from 'node:async_hooks'

const running = new AsyncLocalStorage<number>()
let born: NonNullable<Parameters<typeof createHook>[0]['init']> = () => {}

/** A test is such a resource. It is announced to the runner, and its async work knows it. */
class Followed extends AsyncResource {
  constructor(type: string, options?: ConstructorParameters<typeof AsyncResource>[1]) {
    super(type, options)
    born(this.asyncId(), type, this.triggerAsyncId(), this)
  }
  override runInAsyncScope<This, Given extends unknown[], Result>(
    work: (this: This, ...given: Given) => Result,
    self?: This,
    ...given: Given
  ): Result {
    return super.runInAsyncScope(() => running.run(this.asyncId(), () => Reflect.apply(work, self as This, given)))
  }
}

Object.assign(hooks, {
  AsyncResource: Followed,
  executionAsyncId: () => running.getStore() ?? executionAsyncId(),
  createHook({ init }: Parameters<typeof createHook>[0]) {
    born = init ?? born
    return { enable() {}, disable() {} }
  },
})
await import('node:test')
Object.assign(hooks, { AsyncResource, executionAsyncId, createHook })
