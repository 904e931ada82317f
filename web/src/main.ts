// The entry: styles, theme colour of the browser's chrome, and the app.
import { mount } from 'svelte';
import App from './App.svelte';
import { followNotifications, keepApp, whenIdle } from './lib/service_worker.ts';
import { paintBrowserChrome } from './lib/theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/prose.css';

paintBrowserChrome();

const target = document.getElementById('app');
if (target === null) throw new Error('index.html has no #app');
mount(App, { target });

followNotifications();
// After the page, and when nothing else is to do: the worker reads the whole app to keep it.
window.addEventListener('load', () => whenIdle(() => void keepApp()));
