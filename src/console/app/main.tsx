import "./styles/base.css";
import { render } from "preact";

const root = document.getElementById("console");
if (root) render(<p>accountd</p>, root);
