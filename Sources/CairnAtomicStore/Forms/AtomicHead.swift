import CairnStore
import Foundation

/// What a store says of itself before its objects: all that can be told of a store that is not open.
///
/// A codec's own type conforms, so that ``AtomicCodec/decode(_:_:into:)`` gets what
/// ``AtomicCodec/head(_:at:)`` has read, and reads nothing twice.
public protocol AtomicHead {
    /// Identifier, version hashes, application values: as ``AtomicContent/metadata`` was when the
    /// store was written.
    var metadata: StoreMetadata { get }

    /// The ``AtomicContent/modelArchive`` that the store was written with.
    ///
    /// With the model inside, a store can be counted, queried and copied by programs that do not have
    /// the model. Returns `nil` if the store contains none. The default implementation returns `nil`.
    var modelArchive: Data? { get }

    /// The number of objects of each entity by name, subentities apart. Returns `nil` if the head does
    /// not tell: then the store is opened with the model inside, and counted. The default
    /// implementation returns `nil`.
    var entityCounts: [String: Int]? { get }
}

extension AtomicHead {
    /// Returns `nil`.
    public var modelArchive: Data? { nil }

    /// Returns `nil`.
    public var entityCounts: [String: Int]? { nil }
}
