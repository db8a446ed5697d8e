import Foundation
import Testing

/// Objects and their values as text, read from a Core Data XML file with regular expressions, or from a dump.
struct PlainReading {
    /// The values of the objects, by `ENTITY/key`. The members of a relationship are sorted keys.
    private(set) var objects: [String: [String: [String]]] = [:]

    /// Reads a file without Cairn's code: an object is the text between its tags.
    init(_ path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let object = try NSRegularExpression(
            pattern: #"<object type="([^"]*)" id="z(\d+)">(.*?)</object>"#,
            options: .dotMatchesLineSeparators)
        let attribute = try NSRegularExpression(
            pattern: #"<attribute name="([^"]*)" type="([^"]*)">(.*?)</attribute>"#,
            options: .dotMatchesLineSeparators)
        let relationship = try NSRegularExpression(
            pattern: #"<relationship name="([^"]*)"[^>]*?idrefs="([^"]*)""#)
        for parts in Self.matches(object, text) {
            var values: [String: [String]] = [:]
            for parts in Self.matches(attribute, parts[3]) {
                let isBinary = parts[2] == "binary"
                values[parts[1]] = [
                    isBinary ? parts[3].filter { !$0.isWhitespace } : Self.plain(parts[3])
                ]
            }
            for parts in Self.matches(relationship, parts[3]) where !parts[2].isEmpty {
                values[parts[1]] = parts[2].split(separator: " ").map { String($0.dropFirst()) }
                    .sorted()
            }
            objects["\(parts[1])/\(parts[2])"] = values
        }
    }

    /// Reads the tool's lines of JSON.
    init(dump: Data) throws {
        for line in dump.split(separator: UInt8(ascii: "\n")) {
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            let entity = try #require(json["entity"] as? String).uppercased()
            let key = try #require(json["key"] as? Int)
            let values = try #require(json["values"] as? [String: Any])
            objects["\(entity)/\(key)"] = values.mapValues(Self.texts)
        }
    }

    private static func texts(_ value: Any) -> [String] {
        if let members = value as? [String] { return members.map(key).sorted() }
        if let text = value as? String {
            return [text.hasPrefix("XDDev") && text.contains("/") ? key(text) : text]
        }
        if let flag = value as? Bool { return [flag ? "1" : "0"] }
        return ["\(value)"]
    }

    private static func key(_ name: String) -> String {
        String(name.split(separator: "/").last ?? "")
    }

    private static func plain(_ text: String) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#10;", "\n"), ("&amp;", "&")]
            .reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }

    private static func matches(_ pattern: NSRegularExpression, _ text: String) -> [[String]] {
        let whole = NSRange(text.startIndex..., in: text)
        return pattern.matches(in: text, range: whole).map { match in
            (0..<match.numberOfRanges).map { index in
                Range(match.range(at: index), in: text).map { String(text[$0]) } ?? ""
            }
        }
    }
}
