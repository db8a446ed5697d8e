import Foundation
import SwiftData

typealias Feed = ReaderSchemaV2.Feed
typealias Article = ReaderSchemaV2.Article

enum ReaderSchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)

    static var models: [any PersistentModel.Type] { [Feed.self, Article.self] }

    @Model
    final class Feed {
        @Attribute(.unique) var url: URL
        var title: String
        @Relationship(deleteRule: .cascade, inverse: \Article.feed) var articles: [Article] = []

        init(url: URL, title: String) {
            self.url = url
            self.title = title
        }
    }

    @Model
    final class Article {
        var headline: String
        var isRead: Bool = false
        var feed: Feed?

        init(headline: String) { self.headline = headline }
    }
}

enum ReaderSchemaV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)

    static var models: [any PersistentModel.Type] { [Feed.self, Article.self] }

    @Model
    final class Feed {
        @Attribute(.unique) var url: URL
        @Attribute(originalName: "title") var name: String
        var layout: Layout = Layout.list
        var cache: Cache = Cache()
        @Relationship(deleteRule: .cascade, inverse: \Article.feed) var articles: [Article] = []

        init(url: URL, name: String) {
            self.url = url
            self.name = name
        }

        enum Layout: String, Codable { case list, cards }

        struct Cache: Codable, Hashable {
            var etag: String?
            var fetched: Date?
            var failures: Int = 0
        }
    }

    @Model
    final class Article {
        #Index<Article>([\.status])

        var headline: String
        var isRead: Bool = false
        var status: Status = Status.new
        var feed: Feed?

        init(headline: String) { self.headline = headline }

        enum Status: Int, Codable { case new, seen }
    }
}

enum ReaderPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [ReaderSchemaV1.self, ReaderSchemaV2.self] }

    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: ReaderSchemaV1.self, toVersion: ReaderSchemaV2.self, willMigrate: nil,
                didMigrate: { context in
                    for article in try context.fetch(
                        FetchDescriptor<Article>(predicate: #Predicate { $0.isRead }))
                    {
                        article.status = .seen
                    }
                    try context.save()
                })
        ]
    }
}
