import Foundation
import SwiftData

@Model
final class Ingredient {
    var name: String
    var amount: Amount
    var position: Int = 0
    var recipe: Recipe?

    init(_ name: String, _ amount: Amount, position: Int = 0) {
        self.name = name
        self.amount = amount
        self.position = position
    }
}

/// A quantity, whose unit may be missing.
struct Amount: Codable, Hashable {
    var value: Double
    var unit: Unit?

    enum Unit: String, Codable { case gram, litre, piece }
}

@Model
final class Cookbook {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Recipe.cookbook) var recipes: [Recipe]
    var settings = Settings()

    init(name: String, recipes: [Recipe] = []) {
        self.name = name
        self.recipes = recipes
    }

    /// All values may be missing.
    struct Settings: Codable, Hashable {
        var theme: String?
        var columns: Int?
    }
}
