// The entry: styles, theme colour of the browser's chrome, and the app.
import { mount } from 'svelte';
import App from './App.svelte';
import { paintBrowserChrome } from './lib/theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/prose.css';

paintBrowserChrome();

const target = document.getElementById('app');
if (target === null) throw new Error('index.html has no #app');
mount(App, { target });
