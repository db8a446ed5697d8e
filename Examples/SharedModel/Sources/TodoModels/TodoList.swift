import Foundation
import SwiftData

@Model
public final class TodoList {
    @Attribute(.unique) public var name: String
    public var color = Color.blue
    @Relationship(deleteRule: .cascade, inverse: \TodoItem.list) public var items: [TodoItem] = []

    public init(name: String) { self.name = name }

    public var openItems: [TodoItem] { items.filter { !$0.isDone } }

    public enum Color: String, Codable, Sendable {
        case blue, green, red
    }
}
