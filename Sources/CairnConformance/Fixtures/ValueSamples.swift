import CairnModel
import Foundation

/// Values at the limits of each attribute type.
enum ValueSamples {
    /// Returns special values of a type, each with a description.
    static func extremes(_ type: AttributeType) -> [(label: String, value: Value)] {
        switch type {
        case .string: shortTexts + longTexts
        case .binary: blobs.map { ($0, .binary($1)) }
        case .transformable: blobs.map { ($0, .transformable($1)) }
        default: short(type)
        }
    }

    /// Returns the short values among them, for comparisons in fetches.
    static func short(_ type: AttributeType) -> [(label: String, value: Value)] {
        switch type {
        case .boolean: [("false", false), ("true", true)]
        case .integer16: integers([.init(Int16.min), .init(Int16.max), -1, 0, 1, 7])
        case .integer32: integers([.init(Int32.min), .init(Int32.max), -1, 0, 1, 7])
        case .integer64:
            integers([.min, .max, .max - 1, -1, 0, 1, 7, 9_007_199_254_740_993])
        case .double: doubles.map { ($0, .double($1)) }
        case .float: floats.map { ($0, .float($1)) }
        case .decimal: decimals
        case .date: dates
        case .string: shortTexts
        case .uri: links
        case .uuid: tokens
        case .binary: blobs.filter { $1.count < 1000 }.map { ($0, .binary($1)) }
        case .transformable: blobs.filter { $1.count < 1000 }.map { ($0, .transformable($1)) }
        case .composite: composites
        case .undefined, .objectID: []
        }
    }

    private static func integers(_ values: [Int64]) -> [(label: String, value: Value)] {
        values.map { ("\($0)", .integer($0)) }
    }

    private static let doubles: [(String, Double)] = [
        ("0", 0), ("−0", -0.0), ("0.1", 0.1), ("−1.5", -1.5), ("3", 3), ("1e18", 1e18),
        ("the greatest", .greatestFiniteMagnitude), ("the least normal", .leastNormalMagnitude),
        ("the least subnormal", .leastNonzeroMagnitude), ("∞", .infinity), ("−∞", -.infinity),
        ("not a number", .nan), ("2^53 + 2", 9_007_199_254_740_994),
    ]

    private static let floats: [(String, Float)] = [
        ("0", 0), ("−0", -0.0), ("0.1", 0.1), ("−1.5", -1.5), ("3", 3),
        ("the greatest", .greatestFiniteMagnitude), ("the least normal", .leastNormalMagnitude),
        ("the least subnormal", .leastNonzeroMagnitude), ("∞", .infinity), ("−∞", -.infinity),
        ("not a number", .nan), ("2^24 + 2", 16_777_218),
    ]

    private static var decimals: [(label: String, value: Value)] {
        let texts = [
            "0", "1", "-1", "0.1", "19.99", "-2.5", "1e20", "1e-100", "9223372036854775807",
            "99999999999999999999999999999999999999", "-12345678901234567890.123456789012345678",
            "1e100",
        ]
        let numbers = texts.compactMap { text in
            Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
                .map { (label: text, value: Value.decimal($0)) }
        }
        return numbers + [("not a number", .decimal(.nan))]
    }

    private static let dates: [(label: String, value: Value)] = [
        ("2001", 0), ("just before 2001", -0.25), ("now", 700_000_000.123_456), ("−0", -0.0),
        ("the distant past", Date.distantPast.timeIntervalSinceReferenceDate),
        ("the distant future", Date.distantFuture.timeIntervalSinceReferenceDate),
        ("further than any calendar", 1e300), ("a subnormal", .leastNonzeroMagnitude),
        ("the end of time", .infinity), ("no date at all", .nan),
    ].map { ($0, .date(Date(timeIntervalSinceReferenceDate: $1))) }

    private static let shortTexts: [(label: String, value: Value)] = [
        ("empty", ""), ("a", "a"), ("A", "A"), ("ab", "ab"), ("aB", "aB"),
        ("a NUL inside", "b\0c"), ("a NUL", "\0"), ("composed é", "\u{E9}"),
        ("decomposed é", "e\u{301}"), ("straße", "straße"), ("STRASSE", "STRASSE"),
        ("a ligature", "\u{FB01}n"), ("Ä", "Äb"), ("only spaces", "  "),
        ("a tab and lines", "\t\r\n"),
        ("a byte-order mark", "\u{FEFF}x"), ("a noncharacter", "\u{FFFF}"),
        ("the last scalar", "\u{10FFFF}"), ("10", "10"), ("9", "9"), ("per cent", "%"),
        ("an underscore", "_"), ("a star", "a*b"), ("quotes", "'\"\\"), ("markup", "<&>]]>"),
        ("Japanese", "日本"), ("the scalar before the surrogates", "\u{D7FF}x"),
    ]

    private static let longTexts: [(label: String, value: Value)] = {
        var scalars = String.UnicodeScalarView()
        for code in 0...0x10FFFF as ClosedRange<UInt32> {
            if let scalar = Unicode.Scalar(code) { scalars.append(scalar) }
        }
        return [
            ("1 MB", .string(String(repeating: "0123456789abcdef", count: 65_536))),
            ("all Unicode scalars", .string(String(scalars))),
        ]
    }()

    private static var links: [(label: String, value: Value)] {
        ["https://example.org/a?b=c#d", "urn:isbn:0451450523", "../relative", "file:///tmp/%C3%A4"]
            .compactMap { text in URL(string: text).map { (text, .uri($0)) } }
    }

    private static let tokens: [(label: String, value: Value)] = [0, 1, 127, 128, 255].map {
        let byte = UInt8($0)
        let uuid = UUID(
            uuid: (byte, 0, 0, 0, 0, 0, byte, 0, 0, 0, 0, 0, 0, 0, 0, byte))
        return ("bytes of \($0)", .uuid(uuid))
    }

    private static let blobs: [(String, Data)] = [
        ("empty", Data()), ("a zero", Data([0])), ("a one", Data([1])), ("a two", Data([2, 65])),
        ("a 255", Data([255])), ("every byte", Data(0...255)),
        ("10 MB", Data(repeating: 0xA5, count: 10 << 20) + Data([1])),
    ]

    private static let composites: [(label: String, value: Value)] = [
        ("full", .composite(["first": "x", "second": 7])), ("half", .composite(["second": -1])),
        ("empty", .composite([:])), ("an empty text", .composite(["first": ""])),
    ]
}
