import Foundation
import Observation
import SwiftData

@Model
class Project: CustomStringConvertible {
    var name: String
    var symbol: String?
    var dates = DateInterval(start: .distantPast, duration: 60)
    var parent: Project?
    @Relationship(deleteRule: .cascade, inverse: \Project.parent) var children: [Project] = []
    @Relationship(deleteRule: .cascade, inverse: \Job.project) var jobs = [Job]()
    // The lead and the projects of a member form a cycle.
    var lead: Member?
    @Relationship(inverse: \Member.projects) var members: [Member] = []
    lazy var formatter = Formatter()

    init(_ name: String, parent: Project? = nil) {
        self.name = name
        self.parent = parent
    }

    convenience init(_ name: String, jobs: [Job]) {
        self.init(name)
        self.jobs = jobs
    }

    var description: String { "Project \(name)" }

    final class Formatter {}
}

@Model
final class Job: Hashable {
    var title = ""
    var state: State = .open
    var checklist: [Check] = []
    var estimate: Duration?
    var project: Project?
    var blockers: [Job] = []
    @Relationship(inverse: \Job.blockers) var blocked: [Job]?
    var labels: [Label] = []

    init(title: String) { self.title = title }

    enum State: String, Codable { case open, closed, waiting }

    struct Check: Codable, Hashable, Identifiable {
        var id = UUID()
        var text: String
        var isDone = false
    }
}

extension Job {
    @Model
    final class Label {
        @Attribute(.unique) var name: String
        var color: Color
        @Relationship(inverse: \Job.labels) var jobs: [Job]

        init(name: String, color: Color = Color(red: 1)) {
            self.name = name
            self.color = color
            self.jobs = []
        }

        /// Encoded as one text, in its own way.
        struct Color: Codable, Hashable {
            var red: Double
            var green = 0.0

            init(red: Double) { self.red = red }

            init(from decoder: any Decoder) throws {
                let text = try decoder.singleValueContainer().decode(String.self)
                red = Double(text) ?? 0
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode("\(red)")
            }
        }
    }
}

@Model
final class Member {
    var name: String
    var contact = Contact.none
    @Relationship(inverse: \Project.lead) var leads: [Project] = []
    var projects: [Project] = []

    init(name: String) { self.name = name }

    enum Contact: Codable, Equatable {
        case none
        case mail(String)
        case phone(String)
    }
}
