import CairnModel
import CairnModelArchive
import CairnStore
import Foundation

/// The part of a store that comes before its objects, and can be read without opening the store.
///
/// A codec defines a type of its own that conforms to this protocol.
/// ``AtomicCodec/decode(_:_:into:)`` receives the value that ``AtomicCodec/head(_:at:)`` returned,
/// so that nothing is read twice.
public protocol AtomicHead {
    /// The identifier, version hashes and application values, equal to `StoreContent.metadata`
    /// when the store was written.
    var metadata: StoreMetadata { get }

    /// The `StoreContent.modelArchive` that the store was written with, or `nil` if the store
    /// contains no model. The default implementation returns `nil`.
    ///
    /// If a store contains its model, programs without the model can count, query and copy its
    /// objects.
    var modelArchive: Data? { get }

    /// The number of objects of each entity, by the entity's name. Objects of subentities count
    /// only for the subentity. Returns `nil` if the head does not contain the numbers. The store is
    /// then opened with the model that it contains, and its rows are counted. The default
    /// implementation returns `nil`.
    var entityCounts: [String: Int]? { get }
}

extension AtomicHead {
    /// Returns `nil`.
    public var modelArchive: Data? { nil }

    /// Returns `nil`.
    public var entityCounts: [String: Int]? { nil }

    /// Decodes ``modelArchive``. Returns `nil` if the store contains no model, or a damaged one.
    package var model: ManagedObjectModel? {
        guard let archive = modelArchive,
            let description = try? ModelCache.decode(Array(archive))
        else { return nil }
        return try? ManagedObjectModel(description)
    }
}
