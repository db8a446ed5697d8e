/// Takes the parts of a document in their order. An error that it throws ends the parsing.
///
/// Names, attributes and bytes are in the parser's memory, and stay there until the call returns.
package protocol SAXHandler: AnyObject {
    /// Checks the document's DOCTYPE, if it has one.
    func documentType(_ type: SAXDocumentType, line: Int) throws(XMLDamage)
    func begin(_ name: SAXName, _ attributes: SAXAttributes, line: Int) throws(XMLDamage)
    func text(_ bytes: UnsafeBufferPointer<UInt8>)
    func end(line: Int) throws(XMLDamage)
}
