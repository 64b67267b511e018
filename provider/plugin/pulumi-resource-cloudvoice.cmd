@node "%~dp0pulumi-resource-cloudvoice" %*
