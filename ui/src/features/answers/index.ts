export { AnswerMark } from './AnswerMark';
export { AnswersTab } from './AnswersTab';
export { RuleFailures } from './RuleFailures';
