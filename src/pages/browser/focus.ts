// After a page was loaded in answer to a form, the focus goes to what it has to say first.
document.querySelector<HTMLElement>('[data-focus]')?.focus();
export {};
