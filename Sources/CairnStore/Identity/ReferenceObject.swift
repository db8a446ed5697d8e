import Foundation

/// The value that identifies an object within its store and root entity. The name comes from Core
/// Data.
///
/// Most stores identify objects by numbers, which are the keys in their IDs. A ``ReferencingStore``
/// identifies them by text or by UUIDs. The key in an ID is then a number that stands for the
/// reference in this process.
public enum ReferenceObject: Sendable {
    /// A number: the key in the object's ID.
    case number(Int64)
    /// A string. Two strings are equal if their UTF-8 bytes are equal. The one-character and the
    /// two-character form of `é` are therefore different references.
    case text(String)
    /// A UUID.
    case uuid(UUID)

    /// The kinds of references that are not numbers.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// References that are strings, and references that are UUIDs.
        case text, uuid

        /// Creates a reference that no object has: a random UUID, or the text of one.
        public func makeReference() -> ReferenceObject {
            switch self {
            case .text: .text(UUID().uuidString)
            case .uuid: .uuid(UUID())
            }
        }
    }

    /// The kind of the reference, or `nil` for a number.
    public var kind: Kind? {
        switch self {
        case .number: nil
        case .text: .text
        case .uuid: .uuid
        }
    }

    /// Parses a reference in the form of ``uriText``. Returns `nil` if the kind is `.uuid` and the
    /// text is not a UUID.
    init?(uriText: String, kind: Kind) {
        switch kind {
        case .text: self = .text(uriText)
        case .uuid:
            guard let uuid = UUID(uuidString: uriText) else { return nil }
            self = .uuid(uuid)
        }
    }

    /// The reference as it appears in URIs after the `p`, before percent-encoding.
    var uriText: String {
        switch self {
        case .number(let number): "\(number)"
        case .text(let text): text
        case .uuid(let uuid): uuid.uuidString
        }
    }
}

extension ReferenceObject: Hashable {
    /// Returns whether both references are equal. Texts are compared byte by byte.
    public static func == (left: ReferenceObject, right: ReferenceObject) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.uuid(let left), .uuid(let right)): left == right
        default: false
        }
    }

    /// Hashes the parts that `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .number(let number): hasher.combine(number)
        case .text(let text):
            for byte in text.utf8 { hasher.combine(byte) }
        case .uuid(let uuid): hasher.combine(uuid)
        }
    }
}
