/// Receives the parts of a document in order. If it throws an error, parsing ends.
///
/// Names, attributes and bytes are in the memory of the parser and are valid only until the call returns.
///
/// A handler is a value type, and the parser owns it while a document is parsed. Therefore, exclusive access
/// only needs to be checked in the parser, once for each part.
package protocol SAXHandler {
    /// Checks the document's DOCTYPE, if it has one.
    mutating func documentType(_ type: SAXDocumentType, line: Int) throws(XMLDamage)
    mutating func begin(_ name: SAXName, _ attributes: SAXAttributes, line: Int) throws(XMLDamage)
    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>)
    mutating func end(line: Int) throws(XMLDamage)
}
