import * as ast from "typescript/unstable/ast";

const { SyntaxKind: Kind } = ast;

/** One way to write a piece of source otherwise, from one offset to another. */
export type Edit = { start: number; end: number; to: string };

/** What an operator is taken for. Where two are named, the edge and the whole of a comparison are tried. */
const operators = new Map<ast.SyntaxKind, string[]>([
  [Kind.EqualsEqualsEqualsToken, ["!=="]],
  [Kind.ExclamationEqualsEqualsToken, ["==="]],
  [Kind.LessThanToken, ["<=", ">="]],
  [Kind.LessThanEqualsToken, ["<", ">"]],
  [Kind.GreaterThanToken, [">=", "<="]],
  [Kind.GreaterThanEqualsToken, [">", "<"]],
  [Kind.AmpersandAmpersandToken, ["||"]],
  [Kind.BarBarToken, ["&&"]],
  [Kind.QuestionQuestionToken, ["&&"]],
  [Kind.QuestionQuestionEqualsToken, ["="]],
  [Kind.PlusToken, ["-"]],
  [Kind.MinusToken, ["+"]],
  [Kind.AsteriskToken, ["/"]],
  [Kind.SlashToken, ["*"]],
  [Kind.PercentToken, ["*"]],
  [Kind.PlusEqualsToken, ["-="]],
  [Kind.MinusEqualsToken, ["+="]],
]);

/** What a method is taken for; those that stand for nothing are left out, and what they were called on stays. */
const methods = new Map([
  ["some", "every"],
  ["every", "some"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
  ["min", "max"],
  ["max", "min"],
  ["floor", "ceil"],
  ["toLowerCase", ""],
  ["slice", ""],
  ["splice", "slice"],
  ["sort", ""],
  ["filter", ""],
  ["replace", ""],
  ["replaceAll", ""],
  ["padEnd", ""],
  ["unshift", "push"],
]);

/** Texts that are for a reader of the API's description alone. */
const described = new Set(["description", "examples"]);

/** Whether nothing below this node is ever run, or decides anything. */
export function isIdle(node: ast.Node): boolean {
  if (ast.isTypeNode(node) || ast.isImportDeclaration(node)) return true;
  if (ast.isTypeAliasDeclaration(node) || ast.isInterfaceDeclaration(node)) return true;
  if (ast.isTypeParameterDeclaration(node)) return true;
  return ast.isPropertyAssignment(node) && ast.isIdentifier(node.name) && described.has(node.name.text);
}

/** Every mutation of this node itself; those of its parts are their own. */
export function mutationsOf(node: ast.Node, source: ast.SourceFile): Edit[] {
  const start = node.getStart(source);
  const whole = (...texts: string[]): Edit[] => texts.map((to) => ({ start, end: node.end, to }));
  if (node.kind === Kind.TrueKeyword) return whole("false");
  if (node.kind === Kind.FalseKeyword) return whole("true");
  if (ast.isNumericLiteral(node)) return whole(`(${node.getText(source)} + 1)`);
  if (ast.isRegularExpressionLiteral(node)) return whole(...otherPatterns(node.getText(source)));
  if (ast.isStringLiteral(node) || ast.isNoSubstitutionTemplateLiteral(node))
    return isName(node) ? [] : whole(node.text === "" ? '"mutant"' : '""');
  if (ast.isTemplateExpression(node)) return whole("``");
  if (ast.isObjectLiteralExpression(node)) return node.properties.length > 0 ? whole("{}") : [];
  if (ast.isArrayLiteralExpression(node))
    return node.elements.length > 0 && !isTarget(node) ? whole("[]") : [];
  return [...ofOperation(node, source), ...ofCall(node, source), ...ofStatement(node, source)];
}

function ofOperation(node: ast.Node, source: ast.SourceFile): Edit[] {
  const start = node.getStart(source);
  if (ast.isBinaryExpression(node)) {
    const { operatorToken } = node;
    const others = operators.get(operatorToken.kind) ?? [];
    if (isWholeCondition(node) && others.some((one) => one.endsWith("=="))) return [];
    // JavaScript does not allow && next to ?? without parentheses.
    if (isNullishChain(node)) {
      const [left, right] = [node.left, node.right].map((side) => side.getText(source));
      return [{ start, end: node.end, to: `((${left}) && ${right})` }];
    }
    const from = operatorToken.getStart(source);
    return others.map((to) => ({
      start: from,
      end: operatorToken.end,
      to,
    }));
  }
  if (ast.isPrefixUnaryExpression(node)) {
    if (isWholeCondition(node)) return [];
    const { operand } = node;
    const left = { start, end: operand.getStart(source), to: "" };
    if (node.operator === Kind.PlusPlusToken) return [{ ...left, to: "--" }];
    return [left];
  }
  if (ast.isPostfixUnaryExpression(node)) {
    const to = node.operator === Kind.PlusPlusToken ? "--" : "++";
    return [{ start: node.operand.end, end: node.end, to }];
  }
  if (ast.isAwaitExpression(node)) return [{ start, end: node.expression.getStart(source), to: "" }];
  if (ast.isConditionalExpression(node)) return conditions(node.condition, source, ["true", "false"]);
  return [];
}

/** Whether the expression is one ?? of several in a row. */
function isNullishChain(node: ast.BinaryExpression): boolean {
  return isNullish(node) && (isNullish(node.left) || isNullish(node.parent));
}

function isNullish(node: ast.Node): boolean {
  return ast.isBinaryExpression(node) && node.operatorToken.kind === Kind.QuestionQuestionToken;
}

function ofCall(node: ast.Node, source: ast.SourceFile): Edit[] {
  if (ast.isPropertyAccessExpression(node) && node.questionDotToken) {
    const dot = node.questionDotToken;
    return [{ start: dot.getStart(source), end: dot.end, to: "." }];
  }
  if (!ast.isCallExpression(node) || !ast.isPropertyAccessExpression(node.expression)) return [];
  const { name, expression } = node.expression;
  const other = methods.get(name.text);
  if (other === undefined) return [];
  if (other === "") return [{ start: expression.end, end: node.end, to: "" }];
  return [{ start: name.getStart(source), end: name.end, to: other }];
}

function ofStatement(node: ast.Node, source: ast.SourceFile): Edit[] {
  const gone = { start: node.getStart(source), end: node.end, to: ";" };
  if (ast.isIfStatement(node)) return conditions(node.expression, source, ["true", "false"]);
  // Never for ever: a loop that does not end says nothing but that it does not.
  if (ast.isWhileStatement(node)) return conditions(node.expression, source, ["false"]);
  if (ast.isForStatement(node)) return node.condition ? conditions(node.condition, source, ["false"]) : [];
  if (ast.isReturnStatement(node))
    return node.expression && node.expression.getText(source) !== "undefined"
      ? [{ ...gone, to: "return undefined as never;" }]
      : sole(node, gone);
  if (ast.isArrowFunction(node) && !ast.isBlock(node.body))
    return [{ start: node.body.getStart(source), end: node.body.end, to: "(undefined as never)" }];
  if (ast.isExpressionStatement(node)) return isSuper(node) ? [] : [gone];
  if (ast.isThrowStatement(node) || ast.isBreakStatement(node) || ast.isContinueStatement(node))
    return sole(node, gone);
  return [];
}

/** Whether a condition is taken for true and for false as a whole: what turns it round says nothing more. */
function isWholeCondition(node: ast.Expression): boolean {
  const { parent } = node;
  return (
    (ast.isIfStatement(parent) && parent.expression === node) ||
    (ast.isConditionalExpression(parent) && parent.condition === node)
  );
}

/** None for the only statement of an `if`: the same as its condition taken for false. */
function sole(node: ast.Node, edit: Edit): Edit[] {
  return ast.isIfStatement(node.parent) && !node.parent.elseStatement ? [] : [edit];
}

function conditions(condition: ast.Expression, source: ast.SourceFile, texts: string[]): Edit[] {
  const { end } = condition;
  return texts.map((to) => ({ start: condition.getStart(source), end, to: `((${to}) as boolean)` }));
}

/** Without an anchor, without a flag, with a class of characters turned round, with one more or less of them. */
function otherPatterns(text: string): string[] {
  const end = text.lastIndexOf("/");
  const [pattern, flags] = [text.slice(1, end), text.slice(end + 1)];
  const others = [
    pattern.replace(/^\^/, ""),
    pattern.replace(/\$$/, ""),
    ...[...pattern.matchAll(/\[\^?(?=[^\]])/g)].map(({ 0: found, index }) =>
      [pattern.slice(0, index), found === "[" ? "[^" : "[", pattern.slice(index + found.length)].join(""),
    ),
    ...[...pattern.matchAll(/[*+?](?![:=!<])(?=[^\]]*(?:\[|$))/g)]
      .filter(({ index }) => pattern[index - 1] !== "\\" && pattern[index - 1] !== "(")
      .map(({ index }) => pattern.slice(0, index) + pattern.slice(index + 1)),
    ...[...pattern.matchAll(/(\d+)\}/g)].map(({ 0: found, 1: digits, index }) =>
      [pattern.slice(0, index), `${Number(digits) + 1}}`, pattern.slice(index + found.length)].join(""),
    ),
  ].map((other) => `/${other}/${flags}`);
  const unflagged = [...flags].map((flag) => `/${pattern}/${flags.replace(flag, "")}`);
  return [...new Set([...others, ...unflagged])].filter((other) => other !== text && isPattern(other));
}

function isPattern(text: string): boolean {
  const end = text.lastIndexOf("/");
  try {
    return new RegExp(text.slice(1, end), text.slice(end + 1)).source !== "(?:)";
  } catch {
    return false;
  }
}

/** Whether a text names a member, and is no value. */
function isName(node: ast.Node): boolean {
  const { parent } = node;
  return (ast.isPropertyAssignment(parent) && parent.name === node) || ast.isExportDeclaration(parent);
}

/** Whether an array stands for what is taken out of it. */
function isTarget({ parent }: ast.Node): boolean {
  return ast.isBinaryExpression(parent) && parent.operatorToken.kind === Kind.EqualsToken;
}

function isSuper({ expression }: ast.ExpressionStatement): boolean {
  return ast.isCallExpression(expression) && expression.expression.kind === Kind.SuperKeyword;
}
