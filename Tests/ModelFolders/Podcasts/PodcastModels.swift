import Foundation
import SwiftData

// MARK: - Types that models share

typealias Episodes = [Library.Episode]
typealias Seconds = Double

protocol Playable: AnyObject {
    associatedtype Marker
    var length: Seconds { get }
    var isPlayed: Bool { get set }
    func mark(_ marker: Marker)
}

extension Playable {
    var minutes: Int { Int(length / 60) }
}

struct Chapter: Codable, Hashable, Identifiable, Sendable {
    let id: UUID
    var title: String
    var start: Seconds
    var link: URL?

    init(_ title: String, at start: Seconds) {
        id = UUID()
        self.title = title
        self.start = start
    }
}

/// The models live in a namespace.
enum Library {
    static let defaultLanguage = "en"

    fileprivate static func slug(of title: String) -> String {
        title.lowercased().split(separator: " ").joined(separator: "-")
    }

    @Model
    final class Show {
        #Unique<Library.Show>([\.feed], [\.title, \.language])
        #Index<Library.Show>([\.title], [\.`default`, \.title])

        // A comment between attributes and the declaration.
        @Attribute(
            .unique,  // one show for each feed
            originalName: "feedURL"
        )
        var feed: URL
        var title: String { didSet { slug = Library.slug(of: title) } }
        private(set) var slug: String = ""
        var language: String = Library.defaultLanguage  // from the feed
        var `default`: Bool = false
        var `in`: String?
        var `repeat` = 0 /* reserved */
        var category = Category.other
        @Transient var downloads = 0
        @Attribute(.externalStorage, .preserveValueOnDeletion) var artwork: Data?
        var ratings: [String: Int] = [:]
        var tags: Set<String> = ["new", "unheard"]
        var dates: [Date]? = nil
        var categories: [Category] = [.news, .other]
        var owner: Person!
        @Relationship(
            deleteRule: .cascade,
            inverse: \Episode.show
        ) var episodes: Episodes = []
        @Relationship(deleteRule: .nullify, inverse: \Person.favorites) var fans: [Person]? = []
        @Transient private var cache: [String: Any] = [:]
        @Transient var onChange: ((Show) -> Void)?
        @Transient var position: (x: Int, y: Int) = (0, 0)
        lazy var sorted: Episodes = episodes.sorted { $0.number < $1.number }
        static let limit = 100
        nonisolated(unsafe) static var count = 0
        class var kind: String { "show" }
        @Transient weak var delegate: AnyObject?

        enum Category: String, Codable, CaseIterable {
            case news, comedy, other
        }

        var latest: Episode? { episodes.max { $0.number < $1.number } }

        var isEmpty: Bool {
            get { episodes.isEmpty }
            set { if newValue { episodes.removeAll() } }
        }

        init(feed: URL, title: String) {
            self.feed = feed
            self.title = title
            self.slug = Library.slug(of: title)
            prepare()
        }

        convenience init?(text: String, title: String) {
            guard let url = URL(string: text), url.scheme != nil else { return nil }
            self.init(feed: url, title: title)
        }

        deinit { Self.count -= 1 }

        private func prepare() {
            Self.count += 1
            cache["prepared"] = true
            if title.isEmpty { title = "Untitled" }
        }

        subscript(number: Int) -> Episode? { episodes.first { $0.number == number } }
    }

    @Model
    final class Episode: Playable {
        typealias Marker = Mark

        var number: Int = 0
        var title: String
        var length: Seconds = 0
        var isPlayed = false
        var show: Show?
        var chapters: [Chapter] = []
        var mark: Mark?
        var state: State = State.remote
        var next: Episode?
        @Relationship(inverse: \Episode.next) var previous: Episode?
        var guests: [Person] = []

        init(
            _ title: String, number: Int, length: Seconds = 60 * 30,
            chapters: @autoclosure () -> [Chapter] = []
        ) throws {
            if number < 0 { throw Failure.negative }
            self.title = title
            self.number = number
            self.length = length
            self.chapters = chapters()
        }

        func mark(_ marker: Mark) { mark = marker }

        enum Failure: Error { case negative }

        struct Mark: Codable, Equatable {
            var at: Seconds
            var note: String?
        }

        enum State: Codable, Equatable {
            case remote
            case loading(progress: Double)
            case local(URL, bytes: Int)
            indirect case failed(State?, reason: String)
        }
    }

    @Model
    final class Person {
        @Attribute(.unique) var name: String
        var shows: [Show] = []
        var favorites: [Show] = []
        @Relationship(inverse: \Episode.guests) var appearances: [Episode]

        init(name: String) {
            self.name = name
            self.appearances = []
        }
    }
}

extension Library.Show: CustomStringConvertible {
    var description: String { "\(title) (\(episodes.count))" }
}

extension Library.Show: Comparable {
    static func < (left: Library.Show, right: Library.Show) -> Bool { left.title < right.title }
}

extension Library.Episode: Encodable {
    private enum CodingKeys: String, CodingKey { case number, title }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
        try container.encode(title, forKey: .title)
    }
}

extension Library.Person {
    func all<Value>(_ path: KeyPath<Library.Show, Value>) -> [Value] {
        shows.map { $0[keyPath: path] }
    }
}
