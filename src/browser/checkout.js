// The script that a shop's own page loads (docs/pages.md, "The browser loader"). It sets `window.Paytm.CheckoutJS`, and shows the
// payment page in an overlay or in an element of the shop. It sends no request, keeps nothing and writes no HTML. The token goes to
// Mohur's own frame by a message, and from there to the service. Browsers get this file without comments and indentation.

// Without 'use strict' the block's functions become functions of the shop's page, and replace its `open`.
// biome-ignore lint/suspicious/noRedundantUseStrict: it is no module
'use strict'

{
  /** @typedef {{ orderId: string, token: string, mid: string, root: unknown, redirects: boolean, handler: Record<string, Function>, locale: string, view: object }} Config */
  // One open payment page. `place` is its element in the shop's page, `source` the window that may speak for it. `isLeft`: the browser
  // has gone to the payment page itself.
  /**
   * @typedef {{ config: Config, key: unknown, frame: HTMLIFrameElement, place: HTMLElement, source: Window | null, isWindow?: boolean,
   *   overlay?: HTMLDialogElement, watch?: ResizeObserver, focused: Element | null, isShown?: boolean, isBusy?: boolean, isLeft?: boolean,
   *   isAsked?: boolean, timer?: ReturnType<typeof setTimeout>, shown: (value?: unknown) => void }} Session
   */
  const isMerchantKnown = true

  const WITHIN_MS = 8_000
  const ANSWERED_WITHIN_MS = 1_000
  const POST_AFTER_MS = 100
  const VIEW_MAX = 4_000
  const TEXT_MAX = 1_000

  const OURS = Symbol.for('mohur')
  const PATH = /^(.*)\/merchantpgpui\/checkoutjs\/merchants\/([^/?#]+?)(?:\.js)?(?:[?#]|$)/
  const scripts = /** @type {HTMLScriptElement[]} */ ([document.currentScript, ...document.scripts])
  const [, gateway = '', merchant = ''] = scripts.map((script) => PATH.exec(script?.src)).find((match) => match) ?? []
  const origin = gateway && new URL(gateway).origin
  const page = /** @type {any} */ (window)
  page.Paytm ??= {}

  const texts = {
    en: ['Payment', 'Close payment', 'The payment page cannot be shown here.', 'Open the payment page'],
    hi: ['भुगतान', 'भुगतान बंद करें', 'भुगतान का पेज यहाँ नहीं दिखाया जा सकता।', 'भुगतान का पेज खोलें'],
  }
  /** @param {Config} config */
  const textsFor = ({ locale }) => (/^hi/i.test(locale || document.documentElement.lang) ? texts.hi : texts.en)

  /** @type {Config | undefined} */
  let ready
  /** @type {any} */
  let given
  /** @type {Set<Session>} */
  const sessions = new Set()
  // Configs that wait for their `root`, by the object that was invoked.
  /** @type {Map<unknown, Config>} */
  const waiting = new Map()

  // ------------------------------------------------------------------------------------------------------------- config

  /** @param {string} message */
  const wrong = (message) => new Error(`CheckoutJS: ${message}`)
  /** @type {(value: any, name: string) => any} */
  const objectIn = (value, name) => {
    if (typeof (value ?? {}) !== 'object') throw wrong(`${name} is not an object`)
    return value ?? {}
  }
  /** @type {(value: unknown, name: string) => string} */
  const textIn = (value, name) => {
    const text = typeof value === 'number' ? `${value}` : value
    if (typeof text !== 'string' || !text || text.length > TEXT_MAX) throw wrong(`${name} is missing or not a text`)
    return text
  }

  /** @type {(config: any, mode?: string) => Config} */
  function read(config, mode) {
    const { order, data, merchant: seller, handler, payMode, labels, locale, root, flow } = objectIn(config, 'config')
    const [older, newer, { mid, redirect }] = [objectIn(order, 'order'), objectIn(data, 'data'), objectIn(seller, 'merchant')]
    const { transactionStatus, notifyMerchant } = objectIn(handler, 'handler')
    if (!isMerchantKnown || !gateway) throw wrong('the merchant of this script is not known')
    if (flow === 'DEFERRED') throw wrong('there is no flow DEFERRED')
    if ((newer.tokenType ?? 'TXN_TOKEN') !== 'TXN_TOKEN') throw wrong('data.tokenType is not TXN_TOKEN')
    for (const each of [transactionStatus, notifyMerchant])
      if (typeof (each ?? wrong) !== 'function') throw wrong('a member of handler is not a function')
    let view = { handler: !!transactionStatus, mode, payMode, labels }
    try {
      const text = JSON.stringify(view)
      if (text.length > VIEW_MAX) throw wrong('too large')
      view = JSON.parse(text)
    } catch (error) {
      console.warn('CheckoutJS: payMode and labels are passed over', error)
      view = { ...view, payMode: undefined, labels: undefined }
    }
    return {
      ...{ root, view, handler: handler ?? {}, redirects: redirect !== false },
      orderId: textIn(newer.orderId ?? older.id, 'data.orderId'),
      token: textIn(newer.token ?? older.token, 'data.token'),
      mid: textIn(mid || decodeURIComponent(merchant), 'merchant.mid'),
      locale: typeof locale === 'string' ? locale.slice(0, 35) : '',
    }
  }

  // ---------------------------------------------------------------------------------------------------- frame and overlay

  /** @type {<K extends 'button' | 'dialog' | 'iframe' | 'div' | 'p'>(kind: K, style: string, more: object) => HTMLElementTagNameMap[K]} */
  const make = (kind, style, more) => {
    const element = Object.assign(document.createElement(kind), more)
    element.style.cssText = style
    return element
  }

  /** @type {(config: Config, key: unknown, root?: Element) => Promise<unknown>} */
  function open(config, key, root) {
    const [title] = textsFor(config)
    const frame = make('iframe', `display:block;width:100%;height:${root ? '40rem' : 'calc(100% - 40px)'};border:0`, { title })
    frame.src = `${gateway}/pay/frame`
    return new Promise((shown) => {
      /** @type {Session} */
      const session = { config, key, frame, place: frame, source: null, focused: document.activeElement, shown }
      if (root) root.append(frame)
      else addOverlay(session)
      session.source = frame.contentWindow
      // When the network is lost, the browser shows a page of its own, which never says that it is shown.
      frame.onload = () => (session.isBusy = false)
      session.timer = setTimeout(() => offerWindow(session), WITHIN_MS)
      sessions.add(session)
    })
  }

  /** @param {Session} session */
  function addOverlay(session) {
    const [title, close] = textsFor(session.config)
    const overlay = make(
      'dialog',
      'display:block;position:fixed;inset:0;margin:auto;border:0;padding:0;overflow:hidden;width:30rem;max-width:100vw;height:46rem;max-height:100dvh;color-scheme:light dark',
      { id: 'paytm-checkoutjs', ariaLabel: title, closedBy: 'none' },
    )
    overlay.dataset['mohur'] = ''
    const cross = make(
      'button',
      'display:block;margin-left:auto;width:40px;height:40px;border:0;padding:0;background:none;color:inherit;font:24px/1 system-ui',
      { type: 'button', ariaLabel: close, textContent: '×', onclick: () => ask(session) },
    )
    overlay.append(cross, session.frame)
    /** @param {Event} event */
    const asks = (event) => {
      event.preventDefault()
      ask(session)
    }
    overlay.oncancel = asks
    overlay.onkeydown = (event) => {
      if (event.key === 'Escape') asks(event)
    }
    overlay.onclose = () => closedByPayer(session)
    try {
      const sheet = Object.assign(new CSSStyleSheet(), { [OURS]: 1 })
      sheet.replaceSync('dialog[data-mohur]::backdrop{background:#0009}')
      if (!document.adoptedStyleSheets.some((each) => OURS in each)) document.adoptedStyleSheets.push(sheet)
    } catch {
      // The browser's own backdrop is enough.
    }
    document.body.append(overlay)
    overlay.showModal()
    session.overlay = overlay
    // A shop that removes or hides the overlay gets its page back: behind an invisible dialog nothing could be pressed.
    session.watch = new ResizeObserver(() => {
      if (!isSeen(session)) end(session)
    })
    session.watch.observe(overlay)
  }

  /** @param {Session} session */
  const isSeen = ({ place }) => place.getClientRects()[0]

  // The same config again brings its page into focus. Any other takes its place.
  /** @type {(config: Config, key: unknown) => Promise<unknown>} */
  async function openAt(config, key) {
    waiting.delete(key)
    for (const session of sessions)
      if (session.key === key) {
        if (session.config === config && isSeen(session)) return session.frame.focus()
        end(session)
      }
    const { root } = config
    if (!root) return open(config, key)
    const find = () => (root instanceof Element ? root : document.querySelector(`${root}`))
    let at = find()
    if (!at) {
      waiting.set(key, config)
      at = await later(find)
      if (waiting.get(key) !== config) return
    }
    if (!at) throw wrong('config.root is not in the page')
    return open(config, key, at)
  }

  // A shop's page may draw its `root` a little later.
  /** @type {(find: () => Element | null) => Promise<Element | null>} */
  const later = (find) =>
    new Promise((found) => {
      const watch = new MutationObserver(() => {
        if (find()) found(find())
      })
      watch.observe(document, { childList: true, subtree: true, attributes: true })
      setTimeout(() => {
        watch.disconnect()
        found(find())
      }, WITHIN_MS)
    })

  // The shop's page blocks Mohur's frame, or no answer comes. So the payer is offered a window of its own.
  /** @param {Session} session */
  function offerWindow(session) {
    const [, , about, button] = textsFor(session.config)
    const box = make('div', 'padding:4rem 1rem;text-align:center', {})
    const opens = make('button', 'padding:12px;font:inherit', { type: 'button', textContent: button })
    opens.onclick = () => {
      session.source = window.open(`${gateway}/pay/frame`)
      session.isWindow = true
    }
    box.append(make('p', '', { textContent: about }), opens)
    session.frame.replaceWith(box)
    session.place = box
    session.shown()
    if (session.overlay) opens.focus()
  }

  // -------------------------------------------------------------------------------------------------------------- closing

  /** @type {(session: Session, mohur: string, more?: object) => void} */
  const say = ({ source }, mohur, more) => source?.postMessage({ mohur, ...more }, origin)

  // The payer wants to close. The payment page knows whether that needs a question.
  /** @param {Session} session */
  function ask(session) {
    session.isAsked = true
    if (!session.isShown || session.source?.closed) return closedByPayer(session)
    say(session, 'close')
    setTimeout(() => {
      if (session.isAsked && !session.isBusy) closedByPayer(session)
    }, ANSWERED_WITHIN_MS)
  }

  /** @param {Session} session */
  function closedByPayer(session) {
    if (end(session)) call(session, 'notifyMerchant', 'APP_CLOSED', {})
  }

  /** @param {Session} session */
  function end(session) {
    if (!sessions.delete(session)) return false
    const { overlay, place, focused, source, isWindow } = session
    clearTimeout(session.timer)
    session.watch?.disconnect()
    overlay?.close()
    overlay?.remove()
    place.remove()
    // A dialog that the shop has removed gives no focus back.
    if (overlay && focused instanceof HTMLElement) focused.focus()
    if (isWindow) source?.close()
    session.shown()
    return true
  }

  // An error in a handler is the shop's to see. It stops nothing here.
  /** @type {(session: Session, name: string, ...given: unknown[]) => void} */
  function call({ config: { handler } }, name, ...args) {
    try {
      handler[name]?.(...args)
    } catch (error) {
      reportError(error)
    }
  }

  // ------------------------------------------------------------------------------------------------------ what the page says

  /** @type {(session: Session, address: string) => void} */
  const leave = (session, address) => {
    session.isLeft = true
    location.assign(`${gateway}/pay/${address}`)
  }

  /** @type {(session: Session, fields: object, id: string | undefined) => void} */
  function result(session, fields, id) {
    // Other elements of the order would hand over the same result, so they end too. Listed before the handler, whose new page stays.
    const ended = [...sessions].filter((each) => each.config.orderId === session.config.orderId)
    session.key = undefined
    addEventListener(
      'beforeunload',
      () => {
        id = undefined
      },
      { once: true },
    )
    call(session, 'transactionStatus', fields)
    ended.forEach(end)
    setTimeout(() => {
      if (id && session.config.redirects) leave(session, `${id}?to=shop`)
    }, POST_AFTER_MS)
  }

  addEventListener('message', ({ source, origin: sender, data }) => {
    const session = [...sessions].find((each) => each.source === source)
    if (!session || sender !== origin || !data) return
    const { config, frame, overlay, isWindow, isLeft } = session
    const { mohur, id, fields, height, toShop } = data
    const pageId = /^[0-9a-f]{32}$/.test(id) ? `${id}` : undefined
    switch (mohur) {
      case 'ready': {
        const { mid, orderId, token, locale, view } = config
        const held = isWindow ? 'window' : 'frame'
        if (!isLeft) say(session, 'open', { mid, orderId, txnToken: token, locale, view: JSON.stringify({ ...view, held }) })
        break
      }
      case 'shown':
        clearTimeout(session.timer)
        session.shown()
        if (!session.isShown && overlay) frame.focus()
        session.isShown = true
        session.isBusy = false
        if (session.isAsked) say(session, 'close')
        break
      case 'height':
        if (!overlay && height > 0 && height < 10_000) frame.style.height = `${Math.ceil(height)}px`
        break
      // A new attempt is under way. The browser left with an earlier one, so the result of this one counts.
      case 'busy':
        session.isBusy = true
        session.isLeft = false
        break
      case 'stays':
        session.isAsked = false
        break
      case 'closed':
        if (overlay || isWindow) closedByPayer(session)
        break
      case 'expired':
        call(session, 'notifyMerchant', 'SESSION_EXPIRED', {})
        break
      case 'leave':
        if (pageId && !isLeft) leave(session, toShop ? `${pageId}?to=shop` : pageId)
        break
      case 'result':
        if (typeof fields === 'object' && !isLeft) result(session, fields, pageId)
    }
  })

  // ------------------------------------------------------------------------------------------------------- what shops call

  const modes = ['CARD', 'UPI', 'NB', 'EMI', 'PAY_WITH_PAYTM', 'SCAN_AND_PAY']
  const CheckoutJS = {
    /** @param {any} fn */
    onLoad(fn) {
      if (typeof fn !== 'function') return
      if (document.readyState === 'loading') addEventListener('DOMContentLoaded', () => fn())
      else queueMicrotask(() => fn())
    },
    /** @param {any} config */
    async init(config) {
      ready = read(config)
      given = config
    },
    async invoke() {
      if (!ready) throw wrong('invoke was called before init')
      await openAt(ready, CheckoutJS)
    },
    close() {
      waiting.clear()
      for (const session of sessions) end(session)
    },
    /** @param {any} [config] */
    elements: (config) => ({
      /** @type {(type: string, options?: any) => { invoke(): Promise<void> }} */
      createElement(type, options) {
        if (!modes.includes(type)) throw wrong('there is no such element')
        /** @type {Config | undefined} */
        let own
        const element = {
          async invoke() {
            own ??= read({ ...(config ?? given), root: options?.root }, type)
            await openAt(own, element)
          },
        }
        return element
      },
    }),
    ELEMENT_PAYMODE: Object.fromEntries(modes.map((mode) => [mode, mode])),
  }
  // When the script loads twice, open pages stay.
  const name = gateway + merchant
  if (page.Paytm.CheckoutJS?.[OURS] !== name) page.Paytm.CheckoutJS = Object.defineProperty(CheckoutJS, OURS, { value: name })
}
