import BenchmarkKit
import Cairn
import Foundation

/// The class of the reference entity in the form that a person writes, with properties by name.
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

/// The class of the other entity.
final class NamedFolder: ManagedObject {
    @Managed var name: String
    @Managed var items: Members<NamedItem>

    /// The classes of the reference model whose properties are accessed by name.
    static let classes: ObjectClasses = {
        var classes = ObjectClasses()
        classes.register(NamedItem.self, as: "Item")
        classes.register(NamedFolder.self, as: "Folder")
        return classes
    }()
}

extension Setting {
    /// Returns a contender for Cairn with classes whose properties are accessed by name.
    ///
    /// - Parameter body: Receives all items as realized objects, in the order of their keys.
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
