/** esbuild imports the file as text. */
declare const template: string;
export default template;
