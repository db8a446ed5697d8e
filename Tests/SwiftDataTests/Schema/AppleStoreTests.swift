import CairnTestSupport
import Foundation
import SwiftData
import Testing

// The models of a public app, as they follow from the model inside a store that SwiftData wrote on Apple's systems.

@Model final class CartModel {
    @Attribute(.unique) var id: String
    var profileId: String?
    var storeId: String
    var context: String?
    var status: String
    var createdAt: Date
    var updatedAt: Date
    var metadataJSON: Data?
    var displayName: String?
    var storeImageURLString: String?
    var minSubtotalAmount: Decimal?
    var minSubtotalCurrencyCode: String?
    var maxItemCount: Int?
    @Relationship(deleteRule: .cascade) var items: [CartItemModel] = []

    init(id: String, storeId: String, status: String) {
        self.id = id
        self.storeId = storeId
        self.status = status
        createdAt = Date(timeIntervalSinceReferenceDate: 0)
        updatedAt = Date(timeIntervalSinceReferenceDate: 0)
    }
}

@Model final class CartItemModel {
    @Attribute(.unique) var id: String
    var productId: String
    var quantity: Int
    var unitPriceAmount: Decimal
    var unitPriceCurrencyCode: String
    var totalPriceAmount: Decimal
    var totalPriceCurrencyCode: String
    var imageURLString: String?
    var availableStock: Int?
    @Relationship(deleteRule: .cascade) var modifiers: [CartItemModifierModel] = []

    init(id: String, productId: String, quantity: Int, price: Decimal) {
        self.id = id
        self.productId = productId
        self.quantity = quantity
        unitPriceAmount = price
        unitPriceCurrencyCode = "EUR"
        totalPriceAmount = price * Decimal(quantity)
        totalPriceCurrencyCode = "EUR"
    }
}

@Model final class CartItemModifierModel {
    @Attribute(.unique) var id: String
    var name: String
    var priceDeltaAmount: Decimal
    var priceDeltaCurrencyCode: String

    init(id: String, name: String) {
        self.id = id
        self.name = name
        priceDeltaAmount = 0
        priceDeltaCurrencyCode = "EUR"
    }
}

/// A store that SwiftData wrote on Apple's systems, in the folder of real stores beside the repository.
@Suite struct `A store of Apple's SwiftData` {
    private static let path =
        "corpus-more/Karim-ezzedine__CartKit/Tests/CartKitStorageSwiftDataTests/LegacySwiftData/CartKitSwiftData_v1.sqlite"

    /// Calls a closure with a copy of the store, if the folder of real stores exists.
    private func withCopy(body: (URL) throws -> Void) throws {
        guard Corpus.isThere else { return }
        let original = Corpus.root.deletingLastPathComponent().appending(path: Self.path)
        let folder = try TemporaryFolder()
        let copy = folder.file("default.store")
        try FileManager.default.copyItem(at: original, to: copy)
        try withExtendedLifetime(folder) { try body(copy) }
    }

    @Test func `has the version hashes that its classes give here`() throws {
        try withCopy { url in
            // A store that cannot be changed is not migrated, so only a store of the same version is opened.
            let configuration = ModelConfiguration(url: url, allowsSave: false)

            let context = ModelContext(
                try ModelContainer(for: CartModel.self, configurations: configuration))

            #expect(try context.fetchCount(FetchDescriptor<CartModel>()) == 1)
            #expect(try context.fetchCount(FetchDescriptor<CartItemModel>()) == 0)
            #expect(throws: (any Error).self) {
                try ModelContainer(for: CartItemModifierModel.self, configurations: configuration)
            }
        }
    }

    @Test func `is read and written`() throws {
        try withCopy { url in
            let configuration = ModelConfiguration(url: url)
            do {
                let context = ModelContext(
                    try ModelContainer(for: CartModel.self, configurations: configuration))
                let cart = try #require(try context.fetch(FetchDescriptor<CartModel>()).first)
                #expect(!cart.id.isEmpty && cart.items.isEmpty)
                let item = CartItemModel(id: "i", productId: "p", quantity: 2, price: 4)
                item.modifiers = [CartItemModifierModel(id: "m", name: "large")]
                cart.items = [item]
                cart.status = "open"
                try context.save()
            }

            let context = ModelContext(
                try ModelContainer(for: CartModel.self, configurations: configuration))

            let cart = try #require(try context.fetch(FetchDescriptor<CartModel>()).first)
            #expect(cart.status == "open" && cart.items.map(\.totalPriceAmount) == [8])
            #expect(cart.items.first?.modifiers.map(\.name) == ["large"])
        }
    }

    @Test func `has a history, which is read and continued`() throws {
        try withCopy { url in
            let context = ModelContext(
                try ModelContainer(
                    for: CartModel.self, configurations: ModelConfiguration(url: url)))
            let cart = try #require(try context.fetch(FetchDescriptor<CartModel>()).first)
            cart.status = "open"
            try context.save()

            let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())

            #expect(history.map(\.transactionIdentifier) == [1, 2])
            #expect(history.first?.bundleIdentifier == "com.apple.dt.xctest.tool")
            #expect(history.first?.processIdentifier == "xctest")
            guard
                case .insert(let insert as DefaultHistoryInsert<CartModel>)? = history.first?
                    .changes.first,
                case .update(let update as DefaultHistoryUpdate<CartModel>)? = history.last?.changes
                    .first
            else {
                Issue.record("not an insertion and an update of carts: \(history)")
                return
            }
            #expect(insert.changedPersistentIdentifier == cart.persistentModelID)
            #expect(update.updatedAttributes == [\CartModel.status])
        }
    }
}
