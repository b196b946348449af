import "./styles/base.css";
import "./styles/shell.css";
import "./styles/forms.css";
import "./styles/data.css";
import "./styles/plots.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { applyTheme, readTheme } from "./theme.ts";

applyTheme(readTheme());
const root = document.getElementById("console");
if (!root) throw new Error("the page has no #console");
render(<App />, root);
