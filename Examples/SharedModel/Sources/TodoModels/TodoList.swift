import Foundation
import SwiftData

/// A list of things to do.
@Model
public final class TodoList {
    /// The name, which no other list has.
    @Attribute(.unique) public var name: String
    /// The color in which an app shows the list.
    public var color = Color.blue
    /// The items, which are deleted with the list.
    @Relationship(deleteRule: .cascade, inverse: \TodoItem.list) public var items: [TodoItem] = []

    /// Creates an empty list.
    public init(name: String) { self.name = name }

    /// The items that are not done.
    public var openItems: [TodoItem] { items.filter { !$0.isDone } }

    /// The colors of lists.
    public enum Color: String, Codable, Sendable {
        case blue, green, red
    }
}
