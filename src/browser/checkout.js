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
   *   overlay?: HTMLDialogElement, cross?: HTMLButtonElement, watch?: ResizeObserver, focused: any, isShown?: boolean,
   *   isBusy?: boolean, isLeft?: boolean, isAsked?: boolean, timer?: ReturnType<typeof setTimeout>, shown: (value?: unknown) => void }} Session
   */
  const isMerchantKnown = true

  const WITHIN_MS = 8_000
  const SEEN_WITHIN_MS = 2_000
  const ANSWERED_WITHIN_MS = 1_000
  const POST_AFTER_MS = 100
  const VIEW_MAX = 4_000
  const TEXT_MAX = 1_000

  const OURS = Symbol.for('mohur')
  const PATH = /^(.*)\/merchantpgpui\/checkoutjs\/merchants\/([\w-]+)/
  const scripts = /** @type {HTMLScriptElement[]} */ ([document.currentScript, ...document.scripts])
  const [, gateway = '', merchant = ''] = scripts.map((script) => PATH.exec(script?.src)).find(Boolean) ?? []
  const origin = gateway && new URL(gateway).origin
  const page = /** @type {any} */ (window)
  page.Paytm ??= {}

  const texts = {
    en: ['Payment', 'Close payment', 'The payment page cannot be shown here.', 'Open the payment page'],
    hi: ['भुगतान', 'भुगतान बंद करें', 'भुगतान का पेज यहाँ नहीं खुल सका।', 'भुगतान का पेज खोलें'],
  }
  /** @param {Config} config */
  const textsFor = ({ locale }) => (/^hi/i.test(locale || document.documentElement.lang) ? texts.hi : texts.en)

  /** @type {CSSStyleSheet | undefined} */
  let sheet
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
      root,
      view,
      handler: handler ?? {},
      redirects: redirect !== false,
      orderId: textIn(newer.orderId ?? older.id, 'data.orderId'),
      token: textIn(newer.token ?? older.token, 'data.token'),
      mid: textIn(mid || merchant, 'merchant.mid'),
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
    const frame = make('iframe', `display:block;width:100%;height:${root ? '40rem' : '100%'};border:0`, { title })
    frame.src = `${gateway}/pay/frame`
    return new Promise((shown) => {
      /** @type {Session} */
      const session = { config, key, frame, place: frame, source: null, focused: document.activeElement, shown }
      if (root) root.append(frame)
      else addOverlay(session)
      session.source = frame.contentWindow
      // When the network is lost, the browser shows a page of its own. That page never answers, so the cross comes back.
      frame.onload = () => {
        session.isBusy = false
        if (!session.isShown) return
        clearTimeout(session.timer)
        session.timer = setTimeout(showCross, SEEN_WITHIN_MS, session)
        say(session, 'seen')
      }
      session.timer = setTimeout(offerWindow, WITHIN_MS, session)
      sessions.add(session)
    })
  }

  /** @param {Session} session */
  function addOverlay(session) {
    const [title, close] = textsFor(session.config)
    const overlay = make(
      'dialog',
      'display:block;width:100%;height:100%;max-width:100%;max-height:100%;border:0;padding:0;margin:auto;position:fixed;inset:0;overflow:hidden;color-scheme:light dark',
      { id: 'paytm-checkoutjs', ariaLabel: title, closedBy: 'none' },
    )
    const cross = make('button', 'width:44px;height:44px;border:0;padding:0;position:absolute;right:0;background:canvas;font-size:24px', {
      ariaLabel: close,
      textContent: '×',
      onclick: () => ask(session),
    })
    // By this name a page knows that it is in an overlay, and shows a cross of its own.
    session.frame.name = 'mohur'
    overlay.append(cross, session.frame)
    // Android's Back cancels without a key.
    overlay.oncancel = overlay.onkeydown = (/** @type {any} */ event) => {
      if ((event.key ?? 'Escape') !== 'Escape') return
      event.preventDefault()
      ask(session)
    }
    overlay.onclose = () => closedByPayer(session)
    try {
      sheet ??= new CSSStyleSheet()
      // On a phone the overlay is the whole window.
      sheet.replaceSync(
        'dialog#paytm-checkoutjs::backdrop{background:#0009}@media(min-width:600px){dialog#paytm-checkoutjs{width:30rem!important;height:46rem!important;border-radius:12px;box-shadow:0 0 12px #0009}}',
      )
      if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet)
    } catch {
      // The browser's own backdrop and the whole window are enough.
    }
    document.body.append(overlay)
    overlay.showModal()
    Object.assign(session, { overlay, cross })
    // A shop that removes or hides the overlay gets its page back: behind an invisible dialog nothing could be pressed.
    session.watch = new ResizeObserver(() => {
      if (!isSeen(session)) end(session)
    })
    session.watch.observe(overlay)
  }

  /** @type {(session: Session, isHidden?: boolean) => void} */
  const showCross = ({ cross }, isHidden) => {
    if (cross) cross.style.display = isHidden ? 'none' : ''
  }

  /** @param {Session} session */
  const isSeen = ({ place }) => place.getClientRects()[0]

  // The same config again focuses its page. Any other config replaces that page.
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

  // The shop's page blocks Mohur's frame, or no answer comes. So the payer is offered the page in a window of its own.
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
    ;(overlay ?? place).remove()
    // A removed dialog gives no focus back.
    if (overlay) focused?.focus()
    if (isWindow) source?.close()
    session.shown()
    return true
  }

  // The shop sees an error of its handler. The error stops nothing here.
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

  /** @type {(session: Session, fields: object, id: string | false) => void} */
  function result(session, fields, id) {
    // Other elements of the order would hand over the same result, so they end too. The list is made before the handler runs, so a page
    // that the handler opens stays.
    const ended = [...sessions].filter((each) => each.config.orderId === session.config.orderId)
    session.key = undefined
    addEventListener('beforeunload', () => (id = false))
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
    const { mohur, id, fields, height, toShop, closes } = data
    const pageId = /^[0-9a-f]{32}$/.test(id) && id
    switch (mohur) {
      case 'ready': {
        const { mid, orderId, token, locale, view } = config
        if (!isLeft)
          say(session, 'open', {
            mid,
            orderId,
            txnToken: token,
            locale,
            view: JSON.stringify({ ...view, held: isWindow ? 'window' : 'frame' }),
          })
        break
      }
      case 'shown':
        clearTimeout(session.timer)
        session.shown()
        // The page's own cross replaces the overlay's cross. A focus on the overlay's cross moves into the page.
        if (overlay && (!session.isShown || document.activeElement === session.cross)) frame.focus()
        showCross(session, closes)
        session.isShown = true
        session.isBusy = false
        if (session.isAsked) say(session, 'close')
        break
      case 'height':
        if (!overlay && height > 0 && height < 10_000) frame.style.height = `${height}px`
        break
      // A new attempt is under way. The browser left with an earlier attempt, so the new attempt's result counts.
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
        if (fields && !isLeft) result(session, fields, pageId)
    }
  })

  // ------------------------------------------------------------------------------------------------------- what shops call

  const modes = ['CARD', 'UPI', 'NB', 'EMI', 'PAY_WITH_PAYTM', 'SCAN_AND_PAY']
  const CheckoutJS = {
    /** @param {any} fn */
    onLoad(fn) {
      if (typeof fn !== 'function') return
      if (document.readyState === 'loading') addEventListener('DOMContentLoaded', () => fn())
      else queueMicrotask(fn)
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
