import Foundation

/// What identifies an object inside of its store and root entity. Core Data has the same name for it.
///
/// Most stores identify objects by numbers, which are the keys in their IDs. A ``ReferencingStore``
/// identifies them by text or by UUIDs; the key in an ID is then a number that stands for the reference
/// in this process.
public enum ReferenceObject: Sendable {
    /// A number: the key in the object's ID.
    case number(Int64)
    /// A text. Two texts are equal if their UTF-8 bytes are: `é` as one character and as two are
    /// different references.
    case text(String)
    /// A UUID.
    case uuid(UUID)

    /// What the objects of a root entity are identified by, if not by numbers.
    public enum Kind: Sendable, Hashable, CaseIterable {
        case text, uuid

        /// Makes a reference that no object has: a random UUID, or a text of one.
        public func makeReference() -> ReferenceObject {
            switch self {
            case .text: .text(UUID().uuidString)
            case .uuid: .uuid(UUID())
            }
        }
    }

    /// The kind. `nil` for a number.
    public var kind: Kind? {
        switch self {
        case .number: nil
        case .text: .text
        case .uuid: .uuid
        }
    }

    /// Reads a reference as ``uriText`` gives it. Returns `nil` for a text that is no UUID, if the kind
    /// is `.uuid`.
    init?(uriText: String, kind: Kind) {
        switch kind {
        case .text: self = .text(uriText)
        case .uuid:
            guard let uuid = UUID(uuidString: uriText) else { return nil }
            self = .uuid(uuid)
        }
    }

    /// The reference as URIs have it after the `p`, before it is percent-encoded.
    var uriText: String {
        switch self {
        case .number(let number): "\(number)"
        case .text(let text): text
        case .uuid(let uuid): uuid.uuidString
        }
    }
}

extension ReferenceObject: Hashable {
    /// Whether both identify the same object of a store and root entity. Compares texts byte by byte.
    public static func == (left: ReferenceObject, right: ReferenceObject) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.uuid(let left), .uuid(let right)): left == right
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .number(let number): hasher.combine(number)
        case .text(let text):
            for byte in text.utf8 { hasher.combine(byte) }
        case .uuid(let uuid): hasher.combine(uuid)
        }
    }
}
