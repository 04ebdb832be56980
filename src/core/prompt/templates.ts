/** What rendering needs of a template engine. Pure: the same input gives the same text. */
export type Templates = {
  /**
   * Values are printed as they are and never expanded again. A variable that the context lacks is an error,
   * also in a branch that is not taken.
   */
  render(template: string, context: TemplateContext, options?: TemplateOptions): { text: string };
  /** Variables whose value the template prints; one that only decides a condition is not among them. */
  printedVariables(template: string, options?: TemplateOptions): ReadonlySet<string>;
};

export type TemplateContext = Readonly<Record<string, unknown>>;

export type TemplateOptions = {
  readonly partials?: Readonly<Record<string, string>>;
  /** Names the template in messages: a file or a loop type. */
  readonly source?: string;
};
