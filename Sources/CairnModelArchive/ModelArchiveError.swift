/// Why bytes could not be read as an archived model.
public enum ModelArchiveError: Error, Sendable, Equatable {
    /// The bytes are not a binary property list, or contradict themselves at this offset.
    case damaged(offset: Int, detail: String)
    /// The property list is sound but is not the keyed archive of a model.
    case notAModel(String)
    /// A part of the model that cannot be done without is absent or of the wrong kind.
    /// `object` says which entity or property, `key` what it lacks.
    case wrongValue(object: String, key: String, detail: String)
    /// The compressed form contradicts itself at this offset.
    case damagedCompression(offset: Int, detail: String)
    /// The compressed form unpacks to more than this many bytes, which no model needs.
    case tooLarge(limit: Int)
}

extension ModelArchiveError: CustomStringConvertible {
    /// Where reading stopped, which file or store is for the caller to add.
    public var location: String {
        switch self {
        case .damaged(let offset, _): "byte \(offset)"
        case .notAModel: "its root"
        case .wrongValue(let object, let key, _): "\(object), key \(key)"
        case .damagedCompression(let offset, _): "compressed byte \(offset)"
        case .tooLarge: "its end"
        }
    }

    /// What is wrong there.
    public var detail: String {
        switch self {
        case .damaged(_, let detail), .notAModel(let detail), .wrongValue(_, _, let detail),
            .damagedCompression(_, let detail):
            detail
        case .tooLarge(let limit): "it unpacks to more than \(limit) bytes"
        }
    }

    /// One sentence with the place and what is wrong there.
    public var description: String {
        "The archived model could not be read at \(location): \(detail)."
    }
}
