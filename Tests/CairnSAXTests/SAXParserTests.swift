import CairnSAX
import Testing

@Suite struct `A SAX parser` {
    /// Notes what it is given, and refuses elements called `refused`.
    private final class Notes: SAXHandler {
        var lines: [String] = []

        func documentType(_ type: SAXDocumentType, line: Int) throws(XMLDamage) {
            lines.append("type \(type.name ?? "none")")
        }

        func begin(_ name: SAXName, _ attributes: SAXAttributes, line: Int) throws(XMLDamage) {
            if name == "refused" { throw XMLDamage(line: line, detail: "refused") }
            let texts = attributes.texts.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
            lines.append("begin \(name.text) \(texts.joined(separator: " "))")
        }

        func text(_ bytes: UnsafeBufferPointer<UInt8>) {
            lines.append("text \(String(decoding: bytes, as: UTF8.self))")
        }

        func end(line: Int) throws(XMLDamage) { lines.append("end") }
    }

    static let sizes: [SAXParser.Size] = [.small, .large]

    private func read(_ text: String, _ size: SAXParser.Size) throws -> [String] {
        let notes = Notes()
        try SAXParser.parse(Array(text.utf8), into: notes, size)
        return notes.lines
    }

    @Test(arguments: sizes)
    func `hands over a document in its order`(_ size: SAXParser.Size) throws {
        let text = "<!DOCTYPE list><list><item a=\"1 &amp; 2\" b=\"\">x</item><item/></list>"

        let lines = try read(text, size)

        #expect(
            lines == [
                "type list", "begin list ", "begin item a=1 & 2 b=", "text x", "end",
                "begin item ", "end", "end",
            ])
    }

    @Test(arguments: sizes)
    func `ends with the error of its handler, in its line`(_ size: SAXParser.Size) {
        let error = #expect(throws: XMLDamage.self) {
            try read("<list>\n<item/>\n<refused/>\n<item/></list>", size)
        }

        #expect(error?.line == 3)
        #expect(error?.detail == "refused")
    }

    @Test(
        arguments: sizes,
        [
            "<list", "<list></item>", "<list>&own;</list>", "",
            "<!DOCTYPE list [<!ENTITY own \"x\">]><list>&own;</list>",
            "<!DOCTYPE list [<!ELEMENT list ANY>]><list/>",
        ])
    func `refuses what is not well-formed, and what declares or uses an entity`(
        _ size: SAXParser.Size, _ text: String
    ) {
        #expect(throws: XMLDamage.self) { try read(text, size) }
    }
}
