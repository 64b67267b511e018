/** The build puts the file's text in its place. */
declare const template: string;
export default template;
