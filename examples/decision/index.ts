import { Decision, decisionCheck, question } from "pulumi-cloudvoice";

const ticket = {
  subject: "Charged twice",
  text: "You charged my card twice in May. Please refund one of the payments.",
};

// A function: every preview and every update sends this request and pays for it.
export const team = decisionCheck({
  state: ticket,
  questions: {
    team: question.choice("Who should handle this?", {
      billing: "Payments, invoices, refunds",
      support: "Everything else",
    }),
  },
}).then(({ answers }) => answers.team.choice);

// A resource: the request is sent once. The answers stay in the Pulumi state until `state`, `questions` or `triggers`
// change.
const urgencyDecision = new Decision("urgency", {
  state: ticket,
  questions: { urgency: question.score("How urgent is this?", ["can wait", "this week", "today"]) },
});
export const urgency = urgencyDecision.answers.urgency.score;
