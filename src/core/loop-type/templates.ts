/** Prompt templates of the built-in types. `ralph` uses the default template of the prompt builder. */

const task = `## Assigned Task

**ID:** {{task-id}}
**Title:** {{task-title}}

{{#if task-description}}
### Description

{{task-description}}

{{/if}}
{{#if acceptance-criteria}}
### Acceptance Criteria

{{acceptance-criteria}}

{{/if}}
{{#if parent-context}}
### Parent Context

{{parent-context}}

{{/if}}
{{#if completed-prerequisites}}
### Completed Prerequisites

{{completed-prerequisites}}

{{/if}}
`;

const carriedOver = `{{#if memory}}
{{memory}}

{{/if}}
{{#if progress}}
## Earlier Iterations

{{progress}}

{{/if}}
{{#if feedback}}
## Feedback

{{feedback}}

{{/if}}
{{#if guidance}}
## Guidance

{{guidance}}

{{/if}}
{{#if shared}}
## Shared

{{shared}}

{{/if}}
`;

export const planTemplate = `${task}## What To Do

This is iteration {{iteration}} of {{max-iterations}} on branch \`{{branch}}\`. Write a plan for the task in
\`{{plan-file}}\`; write no product code. If the file is missing, draft it with these sections: Summary, Goals,
Non-Goals, Proposed Solution, Edge Cases, Alternatives, Steps, Risks.

The plan is reviewed in passes, one per iteration, each with a single focus and a check of its own that the engine
executes. This iteration is review pass {{pass}}.

{{pass-focus}}

Look at the plan with this focus alone, correct what you find, and stop there. If the plan already satisfies it, change
nothing: two passes in a row without a change end the review.

${carriedOver}`;

export const specTemplate = `${task}## What To Do

This is iteration {{iteration}} of {{max-iterations}} on branch \`{{branch}}\`. Write the specification of this
part in \`{{spec-file}}\`; write no product code. It states the behaviour seen from outside, the interfaces and
data with their exact names, the failure cases, and the checks that will prove each requirement. Split the work
into phases that can each be built and verified alone, in the order they are needed.

Read the code it touches before you write. Where the plan and the code disagree, say so in the file and decide.
Claim that the task is done only when every requirement has a check and every phase names its requirements.

${carriedOver}`;

export const phaseTemplate = `${task}## What To Do

This is iteration {{iteration}} of {{max-iterations}} in \`{{working-directory}}\` on branch \`{{branch}}\`. Build
this phase and nothing beyond it. Look first at what earlier iterations left, then take the most useful next step:
the smallest change that moves a failing check towards passing. Add tests for what you build; never weaken a check
to make it pass. Claim that the task is done only when everything this phase promises works.

{{#if git-status}}
### Working Tree

{{git-status}}

{{/if}}
${carriedOver}`;

/** What every project can take into its own templates, as `{{> task}}`. */
export const builtInPartials: Readonly<Record<string, string>> = {
  task,
  'carried-over': carriedOver,
};
