// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/cpp/peers/dump_data.cpp: writes the inputs of the cases into the folder that the
// argument names, as raw doubles, for peers that do not include cases.h.
#include "../cases.h"

namespace {
std::string folder;
void put(const char* name, const cases::Vec& v) {
  FILE* file = std::fopen((folder + "/" + name + ".f64").c_str(), "wb");
  if (!file) std::abort();
  std::fwrite(v.data(), sizeof(double), v.size(), file);
  std::fclose(file);
}
}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const cases::EkfData ekf = cases::ekf_data();
  put("ekf_x", ekf.x), put("ekf_cov", ekf.cov), put("ekf_gyro", ekf.gyro);
  put("ekf_accel", ekf.accel), put("ekf_z", ekf.z);
  put("arm_q", cases::arm_data());
  const cases::CameraData camera = cases::camera_data();
  put("camera_camera", camera.camera), put("camera_point", camera.point);
  const cases::IlqrData ilqr = cases::ilqr_data();
  put("ilqr_x", ilqr.x), put("ilqr_force", ilqr.force);
  const cases::NetData net = cases::net_data();
  put("net_w1", net.w1), put("net_b1", net.b1), put("net_w2", net.w2), put("net_b2", net.b2);
  put("net_w3", net.w3), put("net_b3", net.b3), put("net_x", net.x);
  const cases::SplineData spline = cases::spline_data();
  put("spline_knots", spline.knots), put("spline_y", spline.y), put("spline_x", spline.x);
}
