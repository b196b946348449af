import * as ast from "typescript/unstable/ast";

const { SyntaxKind: Kind } = ast;

/** A replacement of the source text between two offsets. */
export type Edit = { start: number; end: number; to: string };

/** The replacements of an operator. Comparisons have two: one of the boundary and one of the direction. */
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

/** The replacements of a method. An empty one removes the call and keeps its object. */
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

/** Members whose texts appear only in the API document. */
const described = new Set(["description", "examples"]);

/** Whether the code below this node has no effect at run time. */
export function isIdle(node: ast.Node): boolean {
  if (ast.isTypeNode(node) || ast.isImportDeclaration(node)) return true;
  if (ast.isTypeAliasDeclaration(node) || ast.isInterfaceDeclaration(node)) return true;
  if (ast.isTypeParameterDeclaration(node)) return true;
  return ast.isPropertyAssignment(node) && ast.isIdentifier(node.name) && described.has(node.name.text);
}

/** The mutations of this node, without those of its children. */
export function mutationsOf(node: ast.Node, source: ast.SourceFile): Edit[] {
  const start = node.getStart(source);
  const whole = (...texts: string[]): Edit[] => texts.map((to) => ({ start, end: node.end, to }));
  if (node.kind === Kind.TrueKeyword) return whole("false");
  if (node.kind === Kind.FalseKeyword) return whole("true");
  if (ast.isNumericLiteral(node)) return isName(node) ? [] : whole(`(${node.getText(source)} + 1)`);
  if (ast.isRegularExpressionLiteral(node)) return whole(...changedPatterns(node.getText(source)));
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

/** Whether the expression is part of a chain of ??. */
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
  const removed = { start: node.getStart(source), end: node.end, to: ";" };
  if (ast.isIfStatement(node)) return conditions(node.expression, source, ["true", "false"]);
  // Never true for a loop: an endless loop is always detected.
  if (ast.isWhileStatement(node)) return conditions(node.expression, source, ["false"]);
  if (ast.isForStatement(node)) return node.condition ? conditions(node.condition, source, ["false"]) : [];
  if (ast.isReturnStatement(node))
    return node.expression && node.expression.getText(source) !== "undefined"
      ? [{ ...removed, to: "return undefined as never;" }]
      : unlessSole(node, removed);
  if (ast.isArrowFunction(node) && !ast.isBlock(node.body))
    return [{ start: node.body.getStart(source), end: node.body.end, to: "(undefined as never)" }];
  if (ast.isExpressionStatement(node)) return isSuper(node) ? [] : [removed];
  if (ast.isThrowStatement(node) || ast.isBreakStatement(node) || ast.isContinueStatement(node))
    return unlessSole(node, removed);
  return [];
}

/** Whether a condition is already replaced by true and by false, so that its negation is redundant. */
function isWholeCondition(node: ast.Expression): boolean {
  const { parent } = node;
  return (
    (ast.isIfStatement(parent) && parent.expression === node) ||
    (ast.isConditionalExpression(parent) && parent.condition === node)
  );
}

/** Empty for the only statement of an `if`: removing it equals the condition false. */
function unlessSole(node: ast.Node, edit: Edit): Edit[] {
  return ast.isIfStatement(node.parent) && !node.parent.elseStatement ? [] : [edit];
}

function conditions(condition: ast.Expression, source: ast.SourceFile, texts: string[]): Edit[] {
  const { end } = condition;
  return texts.map((to) => ({ start: condition.getStart(source), end, to: `((${to}) as boolean)` }));
}

/** Removes an anchor or a flag, negates a character class, removes a repetition, or increases its limit by one. */
function changedPatterns(text: string): string[] {
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

/** Whether a text or a number is the name of a member and not a value. */
function isName(node: ast.Node): boolean {
  const { parent } = node;
  return (ast.isPropertyAssignment(parent) && parent.name === node) || ast.isExportDeclaration(parent);
}

/** Whether an array is a destructuring pattern. */
function isTarget({ parent }: ast.Node): boolean {
  return ast.isBinaryExpression(parent) && parent.operatorToken.kind === Kind.EqualsToken;
}

function isSuper({ expression }: ast.ExpressionStatement): boolean {
  return ast.isCallExpression(expression) && expression.expression.kind === Kind.SuperKeyword;
}
