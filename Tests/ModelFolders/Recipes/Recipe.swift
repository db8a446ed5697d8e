import Foundation
import SwiftData

@Model
final class Recipe {
    #Unique<Recipe>([\.slug])
    #Index<Recipe>([\.title], [\.createdAt, \.title])

    /// How hard a recipe is.
    enum Difficulty: Int, Codable, CaseIterable, Comparable {
        case easy = 1
        case medium, hard

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    enum Source: Codable, Hashable {
        case own
        case web(URL)
        case book(title: String, page: Int)
        case person(String)
    }

    struct Nutrition: Codable, Hashable {
        struct Portion: Codable, Hashable {
            var grams: Double
            var label: String?
        }

        var kcal: Int
        var protein: Double?
        var portion: Portion
        var allergens: [Allergen] = []
    }

    enum Allergen: String, Codable, CaseIterable {
        case gluten, nuts, milk
    }

    @Attribute(.unique) let id: UUID
    var slug: String
    var title: String { didSet { edits += 1 } }
    var difficulty = Difficulty.easy
    var source: Source = .own
    var nutrition: Nutrition?
    var courses: Set<Course> = []
    var allergens: [Allergen] = [.milk]
    var rating: Decimal?
    @Attribute(.externalStorage) var photo: Data?
    @Relationship(deleteRule: .cascade, inverse: \Ingredient.recipe)
    var ingredients: [Ingredient]? = []
    @Relationship(deleteRule: .nullify) var cookbook: Cookbook?
    private(set) var createdAt: Date
    @Transient var edits = 0

    init(title: String, createdAt: Date = .now) {
        self.id = UUID()
        self.title = title
        self.slug = title.lowercased().replacing(" ", with: "-")
        self.createdAt = createdAt
    }
}

extension Recipe {
    var isQuick: Bool { difficulty == .easy && (ingredients?.count ?? 0) < 5 }

    var sortedIngredients: [Ingredient] {
        get { (ingredients ?? []).sorted { $0.position < $1.position } }
        set {
            for (index, ingredient) in newValue.enumerated() { ingredient.position = index }
            ingredients = newValue
        }
    }
}

enum Course: String, Codable, CaseIterable {
    case starter, main, dessert
}
