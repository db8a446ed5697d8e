extension FetchPredicate: Codable {
    /// Reads a predicate from its text.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if the text is no predicate, or if it names an object. Its
    ///   context says what is wrong, and where.
    public init(from decoder: any Decoder) throws {
        self = try decoder.textOfPredicate(\.namesObjects) { text throws(FetchPredicateError) in
            try FetchPredicate(format: text)
        }
    }

    /// Writes the predicate as its text, in the format of `NSPredicate`, with casts for values that have no
    /// literal.
    ///
    /// - Throws: `EncodingError.invalidValue` if the predicate names an object, because its ID is valid only
    ///   in this process, or contains the value of a composite, or is too deep.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self, \.namesObjects) { text throws(FetchPredicateError) in
            try FetchPredicate(format: text)
        }
    }

    /// Whether a constant is an object.
    fileprivate var namesObjects: Bool {
        var names = false
        _ = replacingIDs { id in
            names = true
            return id
        }
        return names
    }
}

extension FetchExpression: Codable {
    /// Reads an expression from its text.
    ///
    /// - Throws: The errors of `FetchPredicate.init(from:)`.
    public init(from decoder: any Decoder) throws {
        self = try decoder.textOfPredicate(\.namesObjects) { text throws(FetchPredicateError) in
            try FetchExpression(format: text)
        }
    }

    /// Writes the expression as its text.
    ///
    /// - Throws: The errors of ``FetchPredicate/encode(to:)``.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(self, \.namesObjects) { text throws(FetchPredicateError) in
            try FetchExpression(format: text)
        }
    }

    fileprivate var namesObjects: Bool {
        FetchPredicate.comparison(PredicateComparison(self, .equal, .constant(.null))).namesObjects
    }
}

/// Why a predicate with an object is not coded.
private let objectRefusal =
    "the ID of an object is valid only in its process: compare a property with a unique value instead"

extension Decoder {
    fileprivate func textOfPredicate<Part>(
        _ namesObjects: (Part) -> Bool, _ read: (String) throws(FetchPredicateError) -> Part
    ) throws -> Part {
        let text = try singleValueContainer().decode(String.self)
        let reason: String
        do throws(FetchPredicateError) {
            let part = try read(text)
            if !namesObjects(part) { return part }
            reason = objectRefusal
        } catch {
            reason = error.description
        }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: codingPath, debugDescription: reason))
    }
}

extension Encoder {
    /// Writes the text of a part if it can be read back.
    fileprivate func encode<Part: CustomStringConvertible>(
        _ part: Part, _ namesObjects: (Part) -> Bool,
        _ read: (String) throws(FetchPredicateError) -> Part
    ) throws {
        let text = part.description
        var reason: String?
        do throws(FetchPredicateError) {
            if try read(text).description != text { reason = "it has no text that means the same" }
        } catch {
            reason = error.description
        }
        if namesObjects(part) { reason = objectRefusal }
        if let reason {
            throw EncodingError.invalidValue(
                part, EncodingError.Context(codingPath: codingPath, debugDescription: reason))
        }
        var container = singleValueContainer()
        try container.encode(text)
    }
}
