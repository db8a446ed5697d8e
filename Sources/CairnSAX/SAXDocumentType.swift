/// The DOCTYPE of a document.
package struct SAXDocumentType {
    /// The name of the root element.
    package let name: String?
    package let publicID: String?
    package let systemID: String?
}
