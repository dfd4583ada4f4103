export { SignInPanel } from './SignInPanel';
export { SignInProvider, useSignIn } from './SignInProvider';
