import Cairn
import Foundation

/// The page about a store, in one file. The parts that most readers look for come first.
struct StorePage {
    private let survey: StoreSurvey
    private let date: Date

    /// The text in the page that identifies an earlier report.
    private static let generator = "cairn store report"

    /// - Parameter date: The time at which the store was examined.
    init(_ survey: StoreSurvey, date: Date) {
        self.survey = survey
        self.date = date
    }

    /// Returns whether a file is the page of an earlier report, given the first kilobyte of the file.
    static func isPage(beginningWith bytes: Data) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasPrefix("<!DOCTYPE html>") && text.contains("content=\"\(generator)\"")
    }

    /// A summary of the page in one line.
    var summary: String {
        let objects = survey.objectCount.map { Quantity.count($0, "object") } ?? "objects unknown"
        return "\(objects), \(StoreVerdict(survey.check).title.lowercased())"
    }

    var html: HTML {
        HTML(
            page: HTML([
                HTML(.meta, .charset("utf-8")),
                HTML(.meta, .name("generator"), .content(Self.generator)),
                // Nothing can be loaded or run, whatever the store contains.
                HTML(
                    .meta, .equivalent("Content-Security-Policy"),
                    .content("default-src 'none'; style-src 'unsafe-inline'")),
                HTML(
                    .meta, .name("viewport"), .content("width=device-width, initial-scale=1")),
                HTML(.meta, .name("color-scheme"), .content("light dark")),
                HTML(.title) { "\(survey.name) · store report" },
                HTML(style: PageStyle.sheet),
            ]),
            body: HTML([masthead, content, footer]))
    }

    private var masthead: HTML {
        HTML(.header, .class("masthead")) {
            HTML(.p, .class("kicker")) {
                HTML(drawing: PageStyle.stones)
                "Store report"
            }
            HTML(.h1) { survey.name }
            HTML(.p, .class("path")) { HTML(.bdi) { survey.path } }
        }
    }

    private var content: HTML {
        HTML(.main) {
            StoreVerdict(survey.check).html
            tiles
            EntityCountsSection(survey).html
            model
            EntitySections(survey).html
        }
    }

    // MARK: Facts

    private var tiles: HTML {
        HTML(.dl, .class("tiles")) {
            tile("Objects", survey.objectCount.map { Quantity.count($0) } ?? "unknown")
            if let model = survey.model {
                tile("Entities", Quantity.count(model.entities.count))
            }
            if case .sound(_, let count, _) = survey.check {
                tile("References", Quantity.count(count))
            }
            tile("Size", Quantity.bytes(survey.byteCount), detail: files)
            tile("Type", survey.type.rawValue, detail: identity)
        }
    }

    private func tile(_ label: String, _ value: String, detail: [HTML] = []) -> HTML {
        HTML(.div, .class("tile")) {
            HTML(.dt) { label }
            HTML(.dd) { value }
            for line in detail { HTML(.dd, .class("small")) { line } }
        }
    }

    /// The files with their sizes. Empty if there is only one file.
    private var files: [HTML] {
        guard survey.files.count > 1 else { return [] }
        return survey.files.map { HTML("\($0.name) \(Quantity.bytes($0.byteCount))") }
    }

    private var identity: [HTML] {
        let versions = survey.versionIdentifiers.joined(separator: ", ")
        return [HTML(.span, .class("mono")) { survey.identifier }]
            + (versions.isEmpty ? [] : [HTML("model version \(versions)")])
    }

    // MARK: Model

    /// The maximum number of entities that are drawn, because the time for drawing grows with its square.
    private static let mostDrawnEntities = 400

    private var model: HTML {
        HTML(.section, .id("model")) {
            HTML(.h2) { "Model" }
            if let model = survey.model {
                if let note { HTML(.p, .class("note")) { note } }
                if model.entities.count > Self.mostDrawnEntities {
                    HTML(.p, .class("note")) {
                        "The model has \(Quantity.count(model.entities.count)) entities, which"
                            + " are too many for a drawing."
                    }
                } else if !model.entities.isEmpty {
                    diagram(of: model)
                }
            } else {
                HTML(.p, .class("note")) {
                    "There is no model to show. Run the command again, and pass --model with the path of the"
                        + " model that the store was written with."
                }
            }
        }
    }

    private func diagram(of model: ManagedObjectModel) -> HTML {
        HTML(.figure, .class("diagram")) {
            // A drawing that is wider than the page is first scaled down. The checkbox works without a
            // script.
            HTML(.input, .checkbox, .id("actual-size"), .class("zoom"))
            HTML(
                .div, .class("scroll"), .focusable, .region,
                .label("Drawing of the model; it can be scrolled")
            ) {
                HTML(diagramOf: model)
            }
            HTML(.figcaption) {
                HTML(.span) {
                    "A forked end of a line means to-many. A dashed line leads to the superentity."
                }
                HTML(.label, .for("actual-size")) { "Actual size" }
            }
        }
    }

    private var note: String? {
        switch survey.modelOrigin {
        case .inferred:
            "The store contains no model. This model was inferred from its objects, and is sufficient for"
                + " reading them."
        case .argument: "This is the model that was passed with --model."
        case .store, nil: nil
        }
    }

    private var footer: HTML {
        HTML(.footer) {
            HTML(.p) {
                "Created on \(Self.text(of: date)) by cairn \(CairnTool.version). The store was not changed."
            }
        }
    }

    private static func text(of date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
        guard let text = ISO8601Date.text(ofSeconds: seconds) else { return "an unknown day" }
        return text.prefix(10) + " at " + text.dropFirst(11).prefix(5) + " UTC"
    }
}
