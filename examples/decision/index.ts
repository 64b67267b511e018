import { Decision, decisionCheck, question } from "pulumi-cloudvoice";

const ticket = {
  subject: "Charged twice",
  text: "You charged my card twice in May. Please refund one of the payments.",
};

// Asked, and paid for, at every preview and every update.
export const team = decisionCheck({
  state: ticket,
  questions: {
    team: question.choice("Who should handle this?", {
      billing: "Payments, invoices, refunds",
      support: "Everything else",
    }),
  },
}).then(({ answers }) => answers.team.choice);

// Asked once; the answers stay in the state until state, questions or triggers change.
const kept = new Decision("urgency", {
  state: ticket,
  questions: { urgency: question.score("How urgent is this?", ["can wait", "this week", "today"]) },
});
export const urgency = kept.answers.urgency.score;
