/// An error in a document, with its line.
package struct XMLDamage: Error {
    package var line: Int
    package var detail: String
    /// If the document is valid but is not of the expected kind, the kind that it is.
    package var otherKind: String?

    package init(line: Int, detail: String, otherKind: String? = nil) {
        self.line = line
        self.detail = detail
        self.otherKind = otherKind
    }
}
