/// What is wrong with a document, and in which line.
package struct XMLDamage: Error {
    package var line: Int
    package var detail: String
    /// What the document is, if it is sound and of another kind.
    package var otherKind: String?

    package init(line: Int, detail: String, otherKind: String? = nil) {
        self.line = line
        self.detail = detail
        self.otherKind = otherKind
    }
}
