import CairnCLibXML2

/// Takes the parts of a document in their order. Whatever it throws ends the parsing.
///
/// Names, attributes and bytes are in the parser's memory: good until the call returns.
protocol SAXHandler: AnyObject {
    func begin(_ name: SAXName, _ attributes: SAXAttributes, line: Int) throws(XMLDamage)
    func text(_ bytes: UnsafeBufferPointer<UInt8>)
    func end(line: Int) throws(XMLDamage)
}
