import CairnModel
import Foundation

/// What to open, and how.
public struct OpenRequest: Sendable {
    /// Where the store is, or is to be made.
    public var location: StoreLocation
    /// The model whose objects the store will hold.
    public var model: ManagedObjectModel
    /// The row layouts of that model.
    public var layouts: RowLayouts
    /// The configuration whose entities the store holds, each with its whole inheritance hierarchy.
    /// `nil` if the store holds all entities of the model.
    ///
    /// Keys and rows of any other entity are refused with `.unsupported`, as is a configuration that
    /// the model does not have.
    public var configuration: String?
    /// Whether saves are refused. The engine then changes no file.
    public var isReadOnly: Bool
    /// Whether a missing store is created.
    public var createsMissing: Bool
    /// The identifier of a store that is a file and that this request creates. `nil` means a new one.
    /// An existing store keeps its own. Stores that are no files may ignore it.
    public var newStoreIdentifier: String?
    /// Settings for the engine; one that it does not know is refused with `.invalidOption`.
    public var options: StoreOptions

    /// - Parameter layouts: those of `model`. `nil` makes them.
    public init(
        location: StoreLocation, model: ManagedObjectModel, layouts: RowLayouts? = nil,
        configuration: String? = nil, isReadOnly: Bool = false, createsMissing: Bool = true,
        options: StoreOptions = [:]
    ) {
        self.location = location
        self.model = model
        self.layouts = layouts ?? RowLayouts(model)
        self.configuration = configuration
        self.isReadOnly = isReadOnly
        self.createsMissing = createsMissing
        self.options = options
    }

    /// For engines: the identifier that the request names, or a new one each time.
    public var identifierForNewStore: String { newStoreIdentifier ?? UUID().uuidString }
}
