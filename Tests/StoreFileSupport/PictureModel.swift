import Cairn
import FolderStore

/// The model for stores of pictures, which tests share with the processes that they start.
package enum PictureModel {
    /// Returns the model. A picture has a title, and pixels that an engine may store externally.
    package static func make() throws(ModelError) -> ManagedObjectModel {
        var pixels = AttributeDescription("pixels", .binary)
        pixels.allowsExternalBinaryDataStorage = true
        return try ManagedObjectModel([
            EntityDescription("Picture", [.attribute("title", .string), .attribute(pixels)])
        ])
    }

    /// All engines that use files, including one that is not part of Cairn.
    package static var registry: StoreRegistry {
        var registry = StoreRegistry.builtIn
        registry.register(FolderStore.self)
        return registry
    }
}
