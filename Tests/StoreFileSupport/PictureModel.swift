import Cairn
import FolderStore

/// The model of stores of pictures, which tests share with the processes that they start.
package enum PictureModel {
    /// A picture has a title, and pixels that an engine may keep outside of its rows.
    package static func make() throws(ModelError) -> ManagedObjectModel {
        var pixels = AttributeDescription("pixels", .binary)
        pixels.allowsExternalBinaryDataStorage = true
        return try ManagedObjectModel([
            EntityDescription("Picture", [.attribute("title", .string), .attribute(pixels)])
        ])
    }

    /// All engines that keep files, one from outside of Cairn among them.
    package static var registry: StoreRegistry {
        var registry = StoreRegistry.builtIn
        registry.register(FolderStore.self)
        return registry
    }
}
