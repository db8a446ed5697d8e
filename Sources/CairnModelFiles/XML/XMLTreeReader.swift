import CairnSAX

/// Reads a small XML document into a tree of elements.
///
/// Documents with a DOCTYPE are refused, so that no entities can be declared.
enum XMLTreeReader {
    /// The maximum size of a file in bytes. The largest known source model has 60 kB.
    static let byteCountLimit = 64 << 20
    static let depthLimit = 64

    /// - Throws: An ``XMLFailure`` if the document is not well-formed, has a DOCTYPE, is too large, or if its
    ///   elements are nested too deeply.
    static func read(_ bytes: [UInt8]) throws(XMLFailure) -> XMLElement {
        guard bytes.count <= byteCountLimit else {
            throw XMLFailure(line: 1, detail: "the file is larger than \(byteCountLimit) bytes")
        }
        var builder = XMLTreeBuilder()
        do throws(XMLDamage) {
            try SAXParser.parse(bytes, into: &builder, .small)
        } catch {
            throw XMLFailure(line: error.line, detail: error.detail)
        }
        guard let root = builder.root else {
            throw XMLFailure(line: 1, detail: "the file contains no element")
        }
        return root
    }
}

/// Builds the tree of elements of a document.
private struct XMLTreeBuilder: SAXHandler {
    private(set) var root: XMLElement?
    /// The elements that are open, from the outermost to the innermost.
    private var open: [XMLElement] = []

    func documentType(_ type: SAXDocumentType, line: Int) throws(XMLDamage) {
        throw XMLDamage(line: line, detail: "the file has a DOCTYPE, but models have none")
    }

    mutating func begin(_ name: SAXName, _ attributes: SAXAttributes, line: Int) throws(XMLDamage) {
        guard open.count < XMLTreeReader.depthLimit else {
            throw XMLDamage(
                line: line,
                detail: "elements are nested more than \(XMLTreeReader.depthLimit) levels deep")
        }
        open.append(XMLElement(name: name.text, attributes: attributes.texts, line: line))
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) {}

    mutating func end(line: Int) {
        guard let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }
}
