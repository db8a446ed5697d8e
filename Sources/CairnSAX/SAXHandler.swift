/// Takes the parts of a document in their order. An error that it throws ends the parsing.
///
/// Names, attributes and bytes are in the parser's memory, and stay there until the call returns.
///
/// A handler is a value, because it belongs to the parser while a document is parsed: only the parser then
/// has to check who accesses it, once for each part.
package protocol SAXHandler {
    /// Checks the document's DOCTYPE, if it has one.
    mutating func documentType(_ type: SAXDocumentType, line: Int) throws(XMLDamage)
    mutating func begin(_ name: SAXName, _ attributes: SAXAttributes, line: Int) throws(XMLDamage)
    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>)
    mutating func end(line: Int) throws(XMLDamage)
}
