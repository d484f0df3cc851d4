// Builds DOM nodes in one expression. Leaves state and events' meaning to the callers.

type Child = Node | string | number | null | undefined | false | readonly Child[];
type Properties = Record<string, unknown>;

/**
 * Makes an element. Properties: `class`, `on` ({event: handler}), `data` ({name: value}), `style` ({property: value}),
 * names with a dash and `role` become attributes, everything else is set as a property of the element.
 */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, properties?: Properties | null, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (properties) apply(element, properties);
  add(element, children);
  return element;
}

function apply(element: HTMLElement, properties: Properties): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name === 'class') element.className = String(value);
    else if (name === 'on') for (const [event, handler] of Object.entries(value as Record<string, EventListener>)) element.addEventListener(event, handler);
    else if (name === 'data') Object.assign(element.dataset, value);
    else if (name === 'style') for (const [property, text] of Object.entries(value as Record<string, string>)) element.style.setProperty(property, text);
    else if (name.includes('-') || name === 'role' || name === 'for') {
      if (value !== false) element.setAttribute(name, String(value));
    } else (element as unknown as Properties)[name] = value;
  }
}

function add(parent: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) add(parent, child as readonly Child[]);
    else parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

const HIDDEN_MS = 300;

/** Does something right after the next picture was drawn; a page that nobody sees draws none, and does it soon. */
export function afterPicture(act: () => void): void {
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    act();
  };
  requestAnimationFrame(() => setTimeout(once));
  setTimeout(once, HIDDEN_MS);
}

/** Sets the text of a node only when it differs: a quiet page does not touch what stays the same. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets or removes an attribute only when it differs. */
export function setAttribute(element: Element, name: string, value: string | null): void {
  if (element.getAttribute(name) === value) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}
