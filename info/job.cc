#include <string>

#include "info/report.hpp"
#include "pt2pt/settings.hpp"
#include "runtime/bootstrap/session.hpp"
#include "runtime/mesh/fabric_report.hpp"
#include "runtime/mesh/mesh.hpp"

namespace rb2::info {

std::string job_fabrics() {
    const auto settings = pt2pt::Settings::from_environment();
    bootstrap::Session session = bootstrap::Session::open();
    mesh::Mesh mesh = mesh::Mesh::build(session, settings.mesh_options());
    std::string text;
    if (session.rank() == 0) text = mesh::describe_fabrics(mesh.all_cards());
    session.fence();  // nobody leaves before all have seen its memory, and rank 0 its card
    return text;
}

}  // namespace rb2::info
