import BenchmarkKit
import Cairn
import Foundation

/// The reference entity's class, as a person writes it: properties by name.
final class NamedItem: ManagedObject {
    @Managed var active: Bool
    @Managed var category: Int
    @Managed var code: String
    @Managed var created: Date
    @Managed var folder: NamedFolder?
    @Managed var name: String
    @Managed var note: String?
    @Managed var number: Int
    @Managed var price: Double
    @Managed var rating: Double
    @Managed var title: String
}

/// The other entity's class.
final class NamedFolder: ManagedObject {
    @Managed var name: String
    @Managed var items: Members<NamedItem>

    /// The classes of the reference model whose properties are known by name.
    static let classes: ObjectClasses = {
        var classes = ObjectClasses()
        classes.register(NamedItem.self, as: "Item")
        classes.register(NamedFolder.self, as: "Folder")
        return classes
    }()
}

extension Setting {
    /// What Cairn does with classes whose properties are known by name.
    ///
    /// - Parameter body: is given all items as realised objects, in the order of their keys.
    func oursByName(
        goal: Goal? = nil, _ body: @escaping @Sendable ([NamedItem]) -> Sample
    ) throws -> Contender {
        let stack = try items()
        return Contender("Cairn, by name", .ours, goal: goal) {
            let handle = ContextHandle(
                coordinator: stack.coordinator, classes: NamedFolder.classes)
            return try handle.performAndWait { context in
                body(try context.fetch(FetchRequest<NamedItem>()))
            }
        }
    }
}
